#include "apps/lbm/gradients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 4, TAG = 0 };

/* ---- the layers around a block ------------------------------------------------------ */

/* Numbers of a plane of cells, those around them, and room for a plane. */
static int64_t surroundings_numbers(wabe_box plane) {
    return MOMENTS * wabe_box_cells(wabe_box_grow(plane, 1)) / 3 * 4;
}

/* The cells at a face of a box, inside it or behind it. */
static wabe_box layer_of(wabe_box box, int face, bool behind) {
    const int axis = face / 2, high = face % 2;
    box.begin[axis] = high ? box.end[axis] - !behind : box.begin[axis] - behind;
    box.end[axis] = box.begin[axis] + 1;
    return box;
}

/* Sends the layer inside a face, and receives the one behind the opposite face. */
static wabe_status pass_layer(const wabe_simulation *s, int rank, int face, double *mine,
                              wabe_gradients *out) {
    const wabe_domain *domain = &s->domain;
    const int axis = face / 2, way = face % 2 ? 1 : -1;
    const bool wraps = domain->options.periodic[axis];
    const int to = wabe_decomposition_neighbour(&domain->decomposition, rank, axis, way, wraps);
    const int from = wabe_decomposition_neighbour(&domain->decomposition, rank, axis, -way, wraps);
    const int count = MOMENTS * (int)wabe_box_cells(layer_of(domain->block, face, false));
    const wabe_status status = wabe_simulation_moments(s, layer_of(domain->block, face, false),
                                                       mine);
    MPI_Sendrecv(mine, count, MPI_DOUBLE, to, TAG, out->faces[face ^ 1], count, MPI_DOUBLE, from,
                 TAG, domain->comm, MPI_STATUS_IGNORE);
    return status;
}

static int64_t layer_bytes(wabe_box block, int face) {
    return MOMENTS * wabe_box_cells(layer_of(block, face, false)) * (int64_t)sizeof(double);
}

int64_t wabe_gradients_memory(wabe_box block) {
    const wabe_box around = wabe_box_grow(block, 1);
    int64_t bytes = wabe_box_cells(around);
    for (int face = 0; face < WABE_FACES; face++)
        bytes += layer_bytes(block, face);
    return bytes + surroundings_numbers(wabe_box_plane(block, 0)) * (int64_t)sizeof(double);
}

wabe_status wabe_gradients_begin(const wabe_simulation *s, wabe_gradients *out) {
    *out = (wabe_gradients){.simulation = s};
    const wabe_domain *domain = &s->domain;
    int rank;
    MPI_Comm_rank(domain->comm, &rank);
    wabe_wall_laws_make((s->options.model.tau - 0.5) / 3.0, &s->options.geometry, out->laws);
    double *mine[3];
    bool enough = true;
    for (int face = 0; face < WABE_FACES; face++) {
        const size_t size = (size_t)layer_bytes(domain->block, face);
        if (face % 2 == 0)
            enough &= (mine[face / 2] = malloc(size)) != NULL;
        enough &= (out->faces[face] = malloc(size)) != NULL;
    }
    wabe_status status = wabe_agree_memory(domain->comm, enough, "the velocity around the block");
    for (int face = 0; face < WABE_FACES && status == WABE_OK; face++)
        status = wabe_agree(domain->comm, pass_layer(s, rank, face, mine[face / 2], out));
    for (int axis = 0; axis < 3; axis++)
        free(mine[axis]);
    if (status == WABE_OK)
        status = wabe_agree(domain->comm,
                            wabe_geometry_flags(&s->options.geometry,
                                                wabe_box_grow(domain->block, 1), &out->flags));
    return status;
}

void wabe_gradients_end(wabe_gradients *gradients) {
    for (int face = 0; face < WABE_FACES; face++)
        free(gradients->faces[face]);
    wabe_flags_free(&gradients->flags);
    *gradients = (wabe_gradients){0};
}

/* ---- three planes with the cells around them ---------------------------------------- */

/* Moments [4][z][y][x] of the cells of a plane of the block, and of those around them. */
typedef struct {
    wabe_box box;           /* with the cells around */
    double *moments, *read; /* read: room for one of the planes */
} surroundings;

static wabe_status create_surroundings(wabe_box plane, surroundings *out) {
    const int64_t cells = wabe_box_cells(wabe_box_grow(plane, 1));
    *out = (surroundings){
        .moments = calloc((size_t)surroundings_numbers(plane), sizeof *out->moments)};
    WABE_CHECK(out->moments, WABE_MEMORY, "no memory for the velocity of %lld cells",
               (long long)cells);
    out->read = out->moments + MOMENTS * cells;
    return WABE_OK;
}

/* Copies rows of moments on part, [4][z][y][x] on the box from. */
static void take(surroundings *to, wabe_box part, const double *moments, wabe_box from) {
    const size_t row = (size_t)wabe_box_extent(part, 0) * sizeof *moments;
    for (int k = 0; k < MOMENTS; k++)
        for (int64_t z = part.begin[2]; z < part.end[2]; z++)
            for (int64_t y = part.begin[1]; y < part.end[1] && row > 0; y++)
                memcpy(to->moments + k * wabe_box_cells(to->box) +
                           wabe_box_place(to->box, part.begin[0], y, z),
                       moments + k * wabe_box_cells(from) +
                           wabe_box_place(from, part.begin[0], y, z),
                       row);
}

/* Moves the surroundings up to those of the next plane; the highest one is yet to be read. */
static void move_up(surroundings *s) {
    const int64_t cells = wabe_box_cells(s->box), plane = wabe_box_plane_cells(s->box);
    for (int k = 0; k < MOMENTS; k++)
        memmove(s->moments + k * cells, s->moments + k * cells + plane,
                (size_t)(cells - plane) * sizeof *s->moments);
    s->box.begin[2]++, s->box.end[2]++;
}

/* Reads a plane of the surroundings of these cells, as far as it lies in the block. */
static wabe_status read_plane(const wabe_gradients *g, int64_t z, surroundings *out) {
    const wabe_box inside = wabe_box_intersect(wabe_box_plane(out->box, z),
                                               g->simulation->domain.block);
    if (wabe_box_is_empty(inside))
        return WABE_OK;
    WABE_TRY(wabe_simulation_moments(g->simulation, inside, out->read));
    take(out, inside, out->read, inside);
    return WABE_OK;
}

/* Makes out the surroundings of a plane of cells; planes that it has already are not read again. */
static wabe_status look_around(const wabe_gradients *g, wabe_box cells, surroundings *out) {
    const wabe_box block = g->simulation->domain.block, box = wabe_box_grow(cells, 1);
    int64_t first = box.begin[2];
    if (out->box.begin[2] + 1 == box.begin[2] && !wabe_box_is_empty(out->box)) {
        move_up(out);
        first = box.end[2] - 1;
    }
    out->box = box;
    for (int64_t z = first; z < box.end[2]; z++)
        WABE_TRY(read_plane(g, z, out));
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_box layer = layer_of(block, face, true);
        take(out, wabe_box_intersect(layer, layer_of(cells, face, true)), g->faces[face], layer);
    }
    return WABE_OK;
}

/* ---- derivatives -------------------------------------------------------------------- */

/* The velocity at a cell's side, and how far away; distance 0: not known. */
typedef struct {
    double distance, u[3];
    double spin[3]; /* of a wall */
    bool wall;      /* resting or moving */
} neighbour;

static neighbour cell_of(const surroundings *s, int64_t place) {
    const int64_t cells = wabe_box_cells(s->box);
    return (neighbour){.distance = 1.0,
                       .u = {s->moments[cells + place], s->moments[2 * cells + place],
                             s->moments[3 * cells + place]}};
}

/* Half-way to the solid cell on this side (1 or -1) along an axis, with the wall's velocity at the
 * time of the state. */
static neighbour wall_of(const wabe_gradients *g, const wabe_condition *condition, int axis,
                         int side) {
    const wabe_condition wall = wabe_condition_at(condition, g->simulation->options.geometry.ramp,
                                                  (double)wabe_simulation_steps(g->simulation));
    neighbour at = {.distance = 0.5, .wall = wall.kind == WABE_BOUNDARY_moving_wall};
    memcpy(at.u, wall.velocity, sizeof at.u);
    memcpy(at.spin, wall.spin, sizeof at.spin);
    const int e = (axis + 1) % 3, f = (axis + 2) % 3;
    at.u[e] -= 0.5 * side * wall.spin[f]; /* spin x the half step back from the solid's centre */
    at.u[f] += 0.5 * side * wall.spin[e];
    return at;
}

/* The cell next to here along an axis; step: 1 or -1 times the distance of such cells. */
static neighbour neighbour_of(const wabe_gradients *g, const surroundings *s, const int64_t at[3],
                              int axis, int64_t here, int64_t step) {
    const int flag = wabe_flags_at(&g->flags, at[0], at[1], at[2]);
    if (flag == 0)
        return cell_of(s, here + step);
    neighbour image = cell_of(s, here);
    const wabe_condition *wall = &g->simulation->options.geometry.conditions[flag - 1];
    if (wall->has_law) {
        image.u[axis] = -image.u[axis];
        return image;
    }
    switch (wall->kind) {
    case WABE_BOUNDARY_no_slip:
    case WABE_BOUNDARY_curved_wall: /* half-way, too */
        return (neighbour){.distance = 0.5, .wall = true};
    case WABE_BOUNDARY_moving_wall:
    case WABE_BOUNDARY_velocity:
        return wall_of(g, wall, axis, step > 0 ? 1 : -1);
    case WABE_BOUNDARY_free_slip:
    case WABE_BOUNDARY_wall_function:
        image.u[axis] = -image.u[axis];
        return image;
    default:
        return (neighbour){.distance = 0.0};
    }
}

/* Of the parabola through three values, or the line through two. */
static double slope(const neighbour *low, double here, const neighbour *high, int k) {
    const double a = low->distance, b = high->distance;
    const double below = a > 0.0 ? (here - low->u[k]) / a : 0.0;
    const double above = b > 0.0 ? (high->u[k] - here) / b : 0.0;
    if (a == 0.0 || b == 0.0)
        return below + above;
    return (a * above + b * below) / (a + b);
}

/* A cell's neighbours along each axis, the lower one first, and its own velocity. */
typedef struct {
    neighbour beside[3][2];
    double u[3];
} stencil;

static stencil stencil_of(const wabe_gradients *g, const surroundings *s, const int64_t cell[3]) {
    const int64_t cells = wabe_box_cells(s->box), row = wabe_box_extent(s->box, 0);
    const int64_t strides[3] = {1, row, wabe_box_plane_cells(s->box)};
    const int64_t here = wabe_box_place(s->box, cell[0], cell[1], cell[2]);
    stencil out;
    for (int d = 0; d < 3; d++) {
        int64_t at[3] = {cell[0], cell[1], cell[2]};
        at[d] = cell[d] - 1;
        out.beside[d][0] = neighbour_of(g, s, at, d, here, -strides[d]);
        at[d] = cell[d] + 1;
        out.beside[d][1] = neighbour_of(g, s, at, d, here, strides[d]);
        out.u[d] = s->moments[(d + 1) * cells + here];
    }
    return out;
}

/* out[d][k]: derivative of u_k along axis d. */
static void differentiate(const stencil *s, double out[3][3]) {
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < 3; k++)
            out[d][k] = slope(&s->beside[d][0], s->u[k], &s->beside[d][1], k);
}

/* The derivative of u_k at a wall, into the fluid: of the parabola through the wall, the cell and
 * its neighbour on the other side, or of the line through the first two. */
static double slope_at_wall(const neighbour *wall, double here, const neighbour *beyond, int k) {
    const double a = wall->distance, b = beyond->distance, near = (here - wall->u[k]) / a;
    return b > 0.0 ? near - a * ((beyond->u[k] - here) / b - near) / (a + b) : near;
}

/* The viscosity at a rate of strain. */
static double viscosity_at(const wabe_gradients *g, double strain) {
    const wabe_lbm_model *model = &g->simulation->options.model;
    return model->rheology.model == WABE_RHEOLOGY_NONE
               ? (model->tau - 0.5) / 3.0
               : wabe_rheology_viscosity(&model->rheology, strain);
}

/* sqrt(2 S:S) of the derivatives. */
static double strain_of(double d[3][3]) {
    double sum = 0.0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            sum += 0.5 * (d[a][b] + d[b][a]) * (d[a][b] + d[b][a]);
    return sqrt(sum);
}

/* Of the derivative along the wall's normal, beside the wall's own rotation, the part along the
 * wall, times the viscosity at this rate of strain. Along an axis with walls at both sides the cell
 * has no normal. */
static void wall_stress(const wabe_gradients *g, const stencil *s, double out[3]) {
    double normal[3] = {0.0}, slopes[3] = {0.0}, square = 0.0, along = 0.0;
    for (int d = 0; d < 3; d++) {
        const neighbour *low = &s->beside[d][0], *high = &s->beside[d][1];
        if (low->wall == high->wall)
            continue;
        const double *spin = low->wall ? low->spin : high->spin;
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        normal[d] = low->wall ? 1.0 : -1.0;
        square += 1.0;
        slopes[e] -= spin[f] * normal[d]; /* spin x normal */
        slopes[f] += spin[e] * normal[d];
        for (int k = 0; k < 3; k++)
            slopes[k] += low->wall ? slope_at_wall(low, s->u[k], high, k)
                                   : slope_at_wall(high, s->u[k], low, k);
    }
    for (int k = 0; k < 3 && square > 0.0; k++)
        along += slopes[k] * normal[k] / square;
    for (int k = 0; k < 3 && square > 0.0; k++)
        out[k] = (slopes[k] - along * normal[k]) / sqrt(square);
    const double strain = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    const double viscosity = viscosity_at(g, strain);
    for (int k = 0; k < 3; k++)
        out[k] *= viscosity;
}

/* The law of the wall that a cell lies at on the side of a face; NULL: there is none. */
static const wabe_wall_law *law_at(const wabe_gradients *g, const int64_t cell[3], int face) {
    const wabe_geometry *geometry = &g->simulation->options.geometry;
    int64_t at[3] = {cell[0], cell[1], cell[2]};
    at[face / 2] += face % 2 ? 1 : -1;
    const int flag = wabe_flags_at(&g->flags, at[0], at[1], at[2]);
    if (flag != 0 && geometry->conditions[flag - 1].has_law)
        return &g->laws[WABE_FACES];
    const bool outside = at[face / 2] < 0 || at[face / 2] >= geometry->cells[face / 2];
    return outside && geometry->conditions[face].kind == WABE_BOUNDARY_wall_function
               ? &g->laws[face]
               : NULL;
}

/* Adds the friction of wall functions on a cell with this velocity. */
static void add_friction(const wabe_gradients *g, const int64_t cell[3], const double u[3],
                         double out[3]) {
    for (int face = 0; face < WABE_FACES; face++) {
        const int axis = face / 2, e = (axis + 1) % 3, f = (axis + 2) % 3;
        const wabe_wall_law *law = law_at(g, cell, face);
        const double speed = hypot(u[e], u[f]);
        if (!law || speed == 0.0)
            continue;
        const double stress = wabe_wall_stress(law, speed);
        out[e] += stress * u[e] / speed;
        out[f] += stress * u[f] / speed;
    }
}

static void quantity_of(const wabe_gradients *g, int number, const stencil *s, double out[3]) {
    double d[3][3];
    if (number == WABE_GRADIENT_wall_stress) {
        wall_stress(g, s, out);
        return;
    }
    differentiate(s, d);
    if (number == WABE_GRADIENT_viscosity) {
        out[0] = viscosity_at(g, strain_of(d));
        return;
    }
    if (number == WABE_GRADIENT_vorticity) {
        for (int k = 0; k < 3; k++)
            out[k] = d[(k + 1) % 3][(k + 2) % 3] - d[(k + 2) % 3][(k + 1) % 3];
        return;
    }
    out[0] = 0.0; /* W:W - S:S = -sum d_a u_b d_b u_a */
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            out[0] -= 0.5 * d[a][b] * d[b][a];
}

/* ---- quantities --------------------------------------------------------------------- */

/* Writes every step-th cell of a box; returns where the next one goes. */
static char *put_cells(const wabe_gradients *g, const surroundings *s, const wabe_quantity *q,
                       wabe_box box, int64_t step, wabe_type type, char *out) {
    for (int64_t z = box.begin[2]; z < box.end[2]; z += step)
        for (int64_t y = box.begin[1]; y < box.end[1]; y += step)
            for (int64_t x = box.begin[0]; x < box.end[0]; x += step) {
                double values[3] = {0.0};
                if (wabe_flags_at(&g->flags, x, y, z) == 0) {
                    const stencil around = stencil_of(g, s, (int64_t[3]){x, y, z});
                    quantity_of(g, q->first, &around, values);
                    if (q->first == WABE_GRADIENT_wall_stress)
                        add_friction(g, (int64_t[3]){x, y, z}, around.u, values);
                }
                for (int k = 0; k < q->count; k++, out += wabe_type_size(type)) {
                    const double value = q->factor * values[k];
                    if (type == WABE_TYPE_f64)
                        *(double *)(void *)out = value;
                    else
                        *(float *)(void *)out = (float)value;
                }
            }
    return out;
}

wabe_status wabe_gradients_quantity(const wabe_gradients *g, const wabe_quantity *q, wabe_box box,
                                    int64_t step, wabe_type type, void *values) {
    surroundings s;
    wabe_status status = create_surroundings(wabe_box_plane(box, box.begin[2]), &s);
    char *out = values;
    for (int64_t z = box.begin[2]; z < box.end[2] && status == WABE_OK; z += step) {
        const wabe_box plane = wabe_box_plane(box, z);
        status = look_around(g, plane, &s);
        if (status == WABE_OK)
            out = put_cells(g, &s, q, plane, step, type, out);
    }
    free(s.moments);
    return status;
}
