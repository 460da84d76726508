#!/usr/bin/env bash
# Fluids whose viscosity depends on the rate of strain: viscosity and wall stress of a plug, the same numbers on any
# processes, hardware, pattern and restart; what is refused.
source "$2/tests/cli/common.bash"
left_behind=out/case/results.json

# A Bingham fluid between plates, 24 cells apart, of which a third is a plug.
cat >case.cfg <<'CFG'
name = "case";
steps = 40000;
domain = { cells = [4, 24, 3]; };
boundaries = { y_low = { kind = "no_slip"; }; y_high = { kind = "no_slip"; }; };
lbm = {
    viscosity = 0.02; velocity = 0.03; length = 24.0; force = [1.25e-5, 0.0, 0.0];
    rheology = { model = "bingham"; yield = 2.0; };
};
output = { every = 0; precision = "f64"; picture = "none"; quantities = "velocity, viscosity, wall_stress"; };
CFG

# ---- physics ----

# The stress of the wall is that of the force but for the error of walls, which 8 cells of flow beside it show. The
# viscosity is that of the stress over the rate of strain, and in the plug more than a hundred times that of the flow.
ok 1 run case.cfg --quiet
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
if "$python" -c 'import h5py' 2>/dev/null; then
"$python" - <<'PYTHON' || fail "a plug between plates"
import glob, h5py, numpy
fields = h5py.File(glob.glob("out/case/fields_*.hdf")[-1])["VTKHDF/PointData"]
stress = fields["wall_stress"][:].reshape(3, 24, 4, 3)[1, :, :, 0]
nu = fields["viscosity"][:].reshape(3, 24, 4)[1]
wall, force, plug = 12 * 1.25e-5, 1.25e-5, 2 * 0.02 * 0.03 / 24
assert numpy.allclose(stress[[0, -1]], wall, rtol=0.03), (stress[0, 0], wall)
assert numpy.all(stress[1:-1] == 0)
assert nu.min() > 0.02 and nu.max() > 100 * 0.02 and nu.max() <= (50 - 0.5) / 3, (nu.min(), nu.max())
# At the first cell's centre: viscosity = stress / ((stress - yield stress) / 0.02).
at = 11.5 * force
assert abs(nu[0, 0] / (0.02 * at / (at - plug)) - 1) < 0.02, nu[0, 0]
PYTHON
else
    echo "note: no h5py here; the fields are not read"
fi

# What the run took for it gives the same fluid.
ok 1 check out/case/config.resolved.cfg --quiet

# ---- the same numbers ----

same() { # RANKS ARGUMENTS...: the state of a run is that of the first one; expected= begins anew
    ok "$1" run case.cfg --quiet --set steps=40 --set 'domain.cells=[37,24,18]' \
        --set 'initial={kind="uniform";velocity=[0.03,0.01,-0.02];}' --set output.fields=false "${@:2}"
    local hash
    hash=$(value out/case/results.json state_hash)
    [[ $hash == "${expected:=$hash}" ]] || fail "another state: $*"
}
for storage in f64 f32 f16; do
    expected=
    same 1 --set lbm.storage=$storage
    same 3 --set lbm.storage=$storage
    same 2 --set lbm.storage=$storage --set lbm.streaming=pull --set parallel.processes=[2,1,1]
    same 1 --set lbm.storage=$storage --set lbm.streaming=list
    same 1 --set lbm.storage=$storage --set node.emulated_gpus=1
    expected=
    same 1 --set lbm.storage=$storage --set lbm.streaming=moments
    same 2 --set lbm.storage=$storage --set lbm.streaming=moments
    same 1 --set lbm.storage=$storage --set lbm.streaming=moments --set node.emulated_gpus=1
done
expected=
same 1 --set lbm.storage=f32 --set lbm.streaming=moments
before=$expected expected=
same 1 --set lbm.storage=f32 --set lbm.streaming=moments --set steps=20 --set checkpoint.every=20
expected=$before
same 2 --set lbm.storage=f32 --set lbm.streaming=moments --restart latest

warns "--set lbm.storage=f16: lbm.storage" check case.cfg --set lbm.storage=f16

# ---- refused ----

refuse 2 check case.cfg --set lbm.les.model=smagorinsky -- lbm.les.model lbm.rheology.model
refuse 2 check case.cfg --set lbm.collision=trt -- lbm.collision recursive_regularized
refuse 2 check case.cfg --set 'lbm.rheology={model="power_law";}' -- lbm.rheology.index missing
refuse 2 check case.cfg --set 'lbm.rheology={model="casson";}' -- lbm.rheology.yield missing
refuse 2 check case.cfg --set 'lbm.rheology={model="power_law";index=0.5;yield=1.0;}' -- lbm.rheology.yield power_law
refuse 2 check case.cfg --set 'lbm.rheology={index=0.5;}' -- lbm.rheology.index none
refuse 2 check case.cfg --set lbm.rheology.highest_tau=0.55 -- lbm.rheology.highest_tau lbm.viscosity
refuse 2 check case.cfg --set lbm.rheology.lowest_tau=0.57 -- lbm.rheology.lowest_tau lbm.viscosity
refuse 2 check case.cfg --set lbm.viscosity=1e-4 -- lbm.rheology.lowest_tau lbm.viscosity
refuse 2 check case.cfg --set 'lbm.rheology={model="carreau_yasuda";index=1.5;limit=0.5;}' -- lbm.rheology.limit lbm.rheology.index
refuse 2 check case.cfg --set 'lbm={viscosity=0.02;length=24.0;rheology={model="bingham";yield=2.0;};}' -- lbm.velocity missing
refuse 2 check case.cfg --set 'lbm={viscosity=0.02;velocity=0.1;rheology={model="bingham";yield=2.0;};}' -- lbm.length missing
refuse 2 check case.cfg --set 'initial={kind="turbulent_channel";velocity=[0.1,0.0,0.0];}' -- initial.kind lbm.rheology.model
refuse 2 check case.cfg --set boundaries.y_low.kind=wall_function -- boundaries.y_low.kind lbm.rheology.model
refuse 2 check case.cfg --set 'geometry={objects=({shape="box";low=[0.0,0.0,0.0];high=[4.0,2.0,3.0];kind="wall_function";});}' -- geometry.objects lbm.rheology.model
refuse 2 check case.cfg --set lbm.lattice=d3q27 -- "lbm.streaming" "moments"
refuse 2 check case.cfg --set porous.axis=x --set lbm.force=[0.0,0.0,0.0] -- porous.axis lbm.rheology.model
refuse 2 check case.cfg --set output.quantities=stress -- output.quantities stress
refuse 2 check case.cfg --set output.quantities=viscosity --set 'lbm.rheology={model="none";}' -- output.quantities viscosity
finish
