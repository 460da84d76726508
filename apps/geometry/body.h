/* Hard bodies, spheres and hollow cylinders, and how far they are from each other. */
#pragma once

#include <stdbool.h>

typedef struct {
    bool round; /* a sphere; what follows of axes and half is not used then */
    double center[3];
    double axis[3], across[2][3]; /* unit vectors, at right angles */
    double half;                  /* half of the length along the axis */
    double radius;
    double middle, wall; /* solid is what is nearer than wall to the distance middle from the axis:
                            middle = 0 of spheres and solid cylinders */
    double reach;        /* of the sphere around it */
} wabe_body;

wabe_body wabe_body_sphere(double radius);

/* Radii; bore 0: none. The axis is vertical, the centre is the origin. */
wabe_body wabe_body_cylinder(double radius, double length, double bore);

/* Gives it the axis that is nearest to this vector, which need not have length 1. */
void wabe_body_turn(wabe_body *body, const double axis[3]);

/* How far it reaches from its centre along axis d: its support function. */
double wabe_body_extent(const wabe_body *body, int d);

double wabe_body_volume(const wabe_body *body);

/* The smaller of limit and the distance of two bodies; negative if they overlap. It is exact up to
 * wabe_body_tolerance, and never too small by more than rounding. The search ends at the first
 * distance below enough. Bodies that came apart from each other by moves shorter than their walls
 * cannot overlap unnoticed. */
double wabe_body_distance(const wabe_body *a, const wabe_body *b, double limit, double enough);

/* The same of the rims of a alone: a distance of a body from the wall of a tube around it. */
double wabe_body_rims_distance(const wabe_body *a, const wabe_body *b, double limit, double enough);

/* By how much distances of cylinders of this radius may be too large. */
double wabe_body_tolerance(double radius);
