#include "apps/lbm/case.h"
#include "apps/lbm/faces.h"

/* The flow's velocity set. */
wabe_lattice wabe_lbm_lattice_of(const wabe_lbm_options *o) {
    return (wabe_lattice)(o->lbm.lattice + 1);
}

/* The lattice of this case, or of those it may be the one with the most kernels: which of both
 * kinds of a scalar it is, is chosen later. */
wabe_lattice wabe_lbm_lattice_with_kernels(const wabe_lbm_options *o) {
    if (!wabe_scalar_is_wanted(&o->scalar))
        return wabe_lbm_lattice_of(o);
    return wabe_scalar_lattice_of_word(o->scalar.lattice) == WABE_LATTICE_d3q19_d3q7
               ? WABE_LATTICE_d3q19_d3q7
               : WABE_LATTICE_d3q19_d3q19;
}

bool wabe_lbm_is_vortex(const wabe_lbm_options *o) {
    return o->initial.kind == WABE_INITIAL_TAYLOR_GREEN ||
           o->initial.kind == WABE_INITIAL_TAYLOR_GREEN_3D;
}

wabe_collision_operator wabe_lbm_collision_of(const wabe_lbm_options *o) {
    if (o->lbm.collision == WABE_COLLISION_srt && o->lbm.les.model)
        return WABE_COLLISION_srt_smagorinsky;
    if (o->lbm.collision)
        return (wabe_collision_operator)o->lbm.collision;
    if (!o->lbm.les.model && !o->lbm.rheology.model && o->lbm.streaming != WABE_STREAMING_moments)
        return WABE_COLLISION_trt;
    return wabe_lbm_lattice_of(o) == WABE_LATTICE_d3q27 ? WABE_COLLISION_cumulant
                                                        : WABE_COLLISION_recursive_regularized;
}

wabe_bulk wabe_lbm_bulk_of(const wabe_lbm_options *o) {
    const bool eddies = o->lbm.les.model && WABE_HAS_ALL_TERMS(wabe_lbm_collision_of(o));
    if (o->lbm.bulk)
        return (wabe_bulk)o->lbm.bulk;
    return eddies || wabe_lbm_collision_of(o) == WABE_COLLISION_cumulant ? WABE_BULK_ONE
                                                                         : WABE_BULK_SHEAR;
}

/* Fails because the lattice has kernels only for the words with these bits, and not for this one.
 */
static wabe_status lacks(const wabe_config *config, const wabe_lbm_options *o, const char *key,
                         int wanted, unsigned has, const char *(*word)(int)) {
    char known[WABE_STRING_SIZE] = "";
    int used = 0;
    for (int i = 1; has >> i && used < (int)sizeof known; i++)
        if (has >> i & 1)
            used += snprintf(known + used, sizeof known - (size_t)used, "%s%s", used ? ", " : "",
                             word(i));
    if (wabe_scalar_is_wanted(&o->scalar))
        return wabe_config_fail(config, key,
                                "is \"%s\", which has no kernels for a flow with a scalar: take "
                                "%s",
                                word(wanted), known);
    return wabe_config_fail(config, "lbm.lattice",
                            "is \"%s\", which has no kernels for %s = \"%s\": take %s, or "
                            "lbm.lattice = \"d3q19\"",
                            wabe_lattice_word(wabe_lbm_lattice_of(o)), key, word(wanted), known);
}

static const char *operator_word(int i) {
    return wabe_collision_operator_word((wabe_collision_operator)i);
}

static const char *streaming_word(int i) { return wabe_streaming_word((wabe_streaming)i); }

static bool has_subgrid(unsigned operators) {
    bool any = false;
    for (int op = WABE_COLLISION_any + 1; op < WABE_COLLISION_end; op++)
        any |= (operators >> op & 1) && wabe_has_subgrid((wabe_collision_operator)op);
    return any;
}

/* Which scalar the flow's collision can carry. */
static wabe_status check_scalar(const wabe_config *config, const wabe_lbm_options *o) {
    const wabe_collision_operator collision = wabe_lbm_collision_of(o);
    const unsigned operators = wabe_lbm_operators_of(wabe_lbm_lattice_with_kernels(o));
    const unsigned of_nineteen = wabe_lbm_operators_of(WABE_LATTICE_d3q19_d3q19);
    if (wabe_lbm_lattice_of(o) != WABE_LATTICE_d3q19)
        return wabe_config_fail(config, "lbm.lattice",
                                "is \"%s\", which carries no scalar: take \"d3q19\"",
                                wabe_lattice_word(wabe_lbm_lattice_of(o)));
    if (!(operators >> collision & 1) && of_nineteen >> collision & 1)
        return wabe_config_fail(config, "scalar.lattice",
                                "is \"d3q7\", which has no kernels for lbm.collision = \"%s\": "
                                "take \"d3q19\"",
                                wabe_collision_operator_word(collision));
    if (collision != WABE_COLLISION_trt && o->scalar.magic != WABE_SCALAR_MAGIC)
        return wabe_config_fail(config, "scalar.magic",
                                "is not used: lbm.collision is \"%s\", which takes none; trt does",
                                wabe_collision_operator_word(collision));
    if (!o->lbm.les.model && o->scalar.turbulent_schmidt != WABE_SCALAR_SCHMIDT)
        return wabe_config_fail(config, "scalar.turbulent_schmidt",
                                "is not used: lbm.les.model is \"none\"");
    return WABE_OK;
}

static wabe_status check_lattice(const wabe_config *config, const wabe_lbm_options *o) {
    if (wabe_scalar_is_wanted(&o->scalar))
        WABE_TRY(check_scalar(config, o));
    const unsigned patterns = wabe_lbm_patterns_of(wabe_lbm_lattice_with_kernels(o));
    const unsigned operators = wabe_lbm_operators_of(wabe_lbm_lattice_with_kernels(o));
    if (o->lbm.streaming && !(patterns >> o->lbm.streaming & 1))
        return lacks(config, o, "lbm.streaming", o->lbm.streaming, patterns, streaming_word);
    if (o->lbm.les.model && !has_subgrid(operators))
        return wabe_config_fail(config, "lbm.les.model",
                                "is not \"none\", but lbm.lattice = \"%s\" has no kernels with it: "
                                "take lbm.lattice = \"d3q19\"",
                                wabe_lattice_word(wabe_lbm_lattice_of(o)));
    if (!(operators >> wabe_lbm_collision_of(o) & 1))
        return lacks(config, o, "lbm.collision", (int)wabe_lbm_collision_of(o), operators,
                     operator_word);
    return WABE_OK;
}

/* Ten moments are all that regularized collisions leave. They have no populations that
 * pressure_normal could return, and lists have no cells behind faces, where images are. */
static wabe_status check_streaming(const wabe_config *config, const wabe_lbm_options *o) {
    const wabe_streaming streaming = (wabe_streaming)o->lbm.streaming;
    const unsigned unknown = streaming == WABE_STREAMING_list ? WABE_MIRRORS
                             : streaming == WABE_STREAMING_moments
                                 ? 1u << WABE_BOUNDARY_pressure_normal
                                 : 0;
    const unsigned of_moments = wabe_lbm_moments_of(wabe_lbm_lattice_of(o));
    if (streaming == WABE_STREAMING_moments && !(of_moments >> wabe_lbm_collision_of(o) & 1))
        return wabe_config_fail(config, "lbm.collision",
                                "is \"%s\", but lbm.streaming = \"moments\" keeps what regularized "
                                "collisions leave: take \"%s\"",
                                wabe_collision_operator_word(wabe_lbm_collision_of(o)),
                                of_moments >> WABE_COLLISION_cumulant & 1
                                    ? "cumulant"
                                    : "recursive_regularized");
    if (streaming != WABE_STREAMING_moments && wabe_lbm_collision_of(o) == WABE_COLLISION_cumulant)
        return wabe_config_fail(config, "lbm.streaming",
                                "must be \"moments\" for lbm.collision = \"cumulant\", which auto "
                                "stands for with d3q27 and lbm.les or lbm.rheology");
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_boundary kind = wabe_face_boundary(o->faces[face].kind);
        if (unknown >> kind & 1)
            return wabe_config_fail(config, wabe_face_kind_key(face),
                                    "is \"%s\", which lbm.streaming = \"%s\" does not know: "
                                    "take lbm.streaming = \"in_place\"",
                                    wabe_boundary_word(kind), wabe_streaming_word(streaming));
    }
    return WABE_OK;
}

/* Rejects lbm.bulk and lbm.correction where the operator has neither. */
static wabe_status check_terms(const wabe_config *config, const wabe_lbm_options *o) {
    const char *const key = o->lbm.bulk != WABE_BULK_AUTO ? "lbm.bulk"
                            : o->lbm.correction           ? "lbm.correction"
                                                          : NULL;
    const wabe_collision_operator collision = wabe_lbm_collision_of(o);
    if (key && !WABE_HAS_ALL_TERMS(collision))
        return wabe_config_fail(config, key,
                                "is not used: lbm.collision is \"%s\", which has no such term; "
                                "recursive_regularized does",
                                wabe_collision_operator_word(collision));
    return WABE_OK;
}

/* Rejects keys that other keys leave without a use, and a velocity that is missing. */
wabe_status wabe_case_check_keys(const wabe_config *config, const wabe_lbm_options *o,
                                 wabe_lbm_case *c) {
    static const char *const kinds[] = {[WABE_INITIAL_REST] = "rest",
                                        [WABE_INITIAL_UNIFORM] = "uniform",
                                        [WABE_INITIAL_TAYLOR_GREEN] = "taylor_green",
                                        [WABE_INITIAL_TAYLOR_GREEN_3D] = "taylor_green_3d",
                                        [WABE_INITIAL_FILE] = "file",
                                        [WABE_INITIAL_PROFILE] = "profile",
                                        [WABE_INITIAL_TURBULENT_CHANNEL] = "turbulent_channel"};
    const int kind = o->initial.kind;
    const wabe_collision_operator collision = wabe_lbm_collision_of(o);
    (void)c;
    if (collision != WABE_COLLISION_trt && o->lbm.magic != WABE_LBM_MAGIC)
        return wabe_config_fail(config, "lbm.magic",
                                "is not used: lbm.collision is \"%s\", which takes none; trt does",
                                wabe_collision_operator_word(collision));
    if (o->lbm.les.model == 0 && o->lbm.les.constant != WABE_LBM_LES_CONSTANT)
        return wabe_config_fail(config, "lbm.les.constant",
                                "is not used: lbm.les.model is \"none\"");
    if (o->lbm.les.model != 0 && !wabe_has_subgrid(collision))
        return wabe_config_fail(config, "lbm.collision",
                                "is \"%s\", with which Smagorinsky's model (lbm.les) diverges at "
                                "walls: take \"recursive_regularized\"",
                                wabe_collision_operator_word(collision));
    if (o->lbm.les.model == 0 && collision == WABE_COLLISION_srt_smagorinsky)
        return wabe_config_fail(config, "lbm.les.model",
                                "must be \"smagorinsky\" with lbm.collision = \"%s\"",
                                wabe_collision_operator_word(collision));
    WABE_TRY(check_terms(config, o));
    WABE_TRY(check_lattice(config, o));
    WABE_TRY(check_streaming(config, o));
    WABE_TRY(wabe_faces_check_walls(config, o, collision));
    /* These need no velocity; one that is given beside a file counts as reference. */
    if (kind == WABE_INITIAL_FILE || kind == WABE_INITIAL_TURBULENT_CHANNEL)
        return WABE_OK;
    const double *velocity = o->initial.velocity;
    WABE_TRY(wabe_check_velocity(config, "initial", kinds[kind],
                                 kind != WABE_INITIAL_REST && kind != WABE_INITIAL_PROFILE,
                                 "uniform, taylor_green, taylor_green_3d and turbulent_channel",
                                 velocity));
    if (wabe_lbm_is_vortex(o) && (velocity[1] != 0.0 || velocity[2] != 0.0))
        return wabe_config_fail(config, "initial.velocity",
                                "must be [%g, 0.0, 0.0]: only x, the amplitude, is used by \"%s\"",
                                velocity[0], kinds[kind]);
    return WABE_OK;
}
