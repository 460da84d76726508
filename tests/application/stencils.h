/* All sweeps of tests. */
#pragma once

#include "tests/application/cell.h"
#include "tests/application/colour.h"
#include "tests/application/column.h"
#include "tests/application/rk3.h"

#define TEST_STENCILS(X) APPLICATION_STENCILS(X) RK3_STENCILS(X) COLOUR_STENCILS(X)
#define TEST_COLUMNS(X) COLUMN_STENCILS(X)
