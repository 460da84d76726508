#!/usr/bin/env python3
"""How waves of a carried scalar (scalar.lattice d3q19) grow in a uniform stream, by von Neumann's analysis.

Of what the scalar's populations have beside T f_i a regularized collision leaves the flux J, alone or with the second moments
u J + J u. The state of a cell is then T and J: the largest eigenvalue of the matrix that a step multiplies a wave's four
amplitudes by, over waves along all directions, is by how much it grows. Needs numpy. Docs: validation.md, Heat and
concentrations."""

import itertools

import numpy as np

C = np.array([v for v in itertools.product((0, -1, 1), repeat=3) if sum(map(abs, v)) < 3])
W = np.array([(1 / 3, 1 / 18, 1 / 36)[abs(v).sum()] for v in C])


def growth(velocity, tau, with_second):
    u = np.array(velocity)
    along = C @ u
    flow = W * (1 + 3 * along + 4.5 * along**2 - 1.5 * u @ u)
    left = 3 * W[:, None] * C
    if with_second:
        left = left + 9 * W[:, None] * (along[:, None] * C - u / 3)
    sent = np.concatenate([flow[:, None], (1 - 1 / tau) * left], axis=1)
    most = 0.0
    half, whole = np.linspace(0, np.pi, 9), np.linspace(-np.pi, np.pi, 17)
    for wave in itertools.product(half, whole, whole):
        arrived = np.exp(-1j * (C @ np.array(wave)))[:, None] * sent
        value = arrived.sum(axis=0)
        flux = C.T @ arrived - np.outer(C.T @ flow, value)
        most = max(most, abs(np.linalg.eigvals(np.vstack([value, flux]))).max())
    return most - 1


def main():
    for velocity in ((0.06, 0.0, 0.0), (0.08, 0.03, 0.02), (0.1, 0.1, 0.0), (0.15, 0.05, 0.0)):
        for diffusivity in (1e-5, 1e-4, 1e-3):
            tau = 0.5 + 3 * diffusivity
            print(f"velocity {velocity}, diffusivity {diffusivity:g}: growth per step {growth(velocity, tau, False):.1e} with the flux alone, "
                  f"{growth(velocity, tau, True):.1e} with u J + J u", flush=True)


if __name__ == "__main__":
    main()
