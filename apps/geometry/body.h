/* Hard bodies, spheres and hollow cylinders, and the distances between them. All functions are
 * Local. */
#pragma once

#include <stdbool.h>

typedef struct {
    bool round; /* a sphere; axis, across and half are then unused */
    double center[3];
    double axis[3], across[2][3]; /* orthogonal unit vectors */
    double half;                  /* half the length along the axis */
    double radius;
    double middle, wall; /* the solid is where the distance from the axis differs from middle by
                            less than wall; spheres and solid cylinders have middle = 0 */
    double reach;        /* radius of the bounding sphere */
} wabe_body;

/* Returns a sphere at the origin. */
wabe_body wabe_body_sphere(double radius);

/* Returns a cylinder at the origin with a vertical axis; bore: the inner radius, 0: solid. */
wabe_body wabe_body_cylinder(double radius, double length, double bore);

/* Sets the axis to the direction of a vector of any length other than 0. */
void wabe_body_turn(wabe_body *body, const double axis[3]);

/* Returns the support function: how far the body extends from its centre along axis d. */
double wabe_body_extent(const wabe_body *body, int d);

/* Returns the volume of the solid. */
double wabe_body_volume(const wabe_body *body);

/* Returns the distance of two bodies, or limit if that is smaller; negative if they overlap. It is
 * exact up to wabe_body_tolerance, and never too small except for rounding. The search stops at the
 * first distance below enough. An overlap cannot go unnoticed if the bodies were separate before,
 * and moved by less than their walls' thickness. */
double wabe_body_distance(const wabe_body *a, const wabe_body *b, double limit, double enough);

/* Returns the same for the rims of a only: the distance of a body from the wall of a tube around
 * it. */
double wabe_body_rims_distance(const wabe_body *a, const wabe_body *b, double limit, double enough);

/* Returns by how much distances of cylinders of this radius may be too large. */
double wabe_body_tolerance(double radius);
