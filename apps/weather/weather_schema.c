/* The keys of a weather case beside those of all applications: a row each. */
#include "apps/weather/weather.h"

#define KEY(type, member) WABE_KEY(#member, type, wabe_weather_options, member)
#define BUBBLE_KEY(type, member) WABE_KEY(#member, type, wabe_weather_bubble, member)

static const wabe_option bubble_rows[] = {
    {BUBBLE_KEY(REAL3, center), .unit = "m", .help = "Its centre, from the domain's corner."},
    {BUBBLE_KEY(REAL3, radius), .unit = "m",
     .help = "Half its axes along x, y, z; 0: it goes on along this axis without end."},
    {BUBBLE_KEY(REAL, amplitude), .unit = "K", .help = "The deviation in its middle; see shape."},
    {BUBBLE_KEY(WORD, of), .default_value = "theta", .words = "theta|temperature",
     .help = "What deviates: the potential temperature, or the temperature, at the same pressure."},
    {BUBBLE_KEY(WORD, shape), .default_value = "cosine", .words = "cosine|packet",
     .help =
         "How it falls with the distance from the center. cosine: with cos^2, to 0 at the edge. "
         "packet: with exp(-distance^2) along x and z, radius 1; along y, whose center and radius "
         "do not matter, it is sin(pi height / lid), and grows as the air gets thinner "
         "(M. Baldauf, S. Brdar, Q. J. R. Meteorol. Soc. 139 (2013) 1977)."},
    {.path = NULL},
};

#define SOUNDING_KEY(type, member) WABE_KEY(#member, type, wabe_sounding_level, member)
static const wabe_option sounding_rows[] = {
    {SOUNDING_KEY(REAL, height), .unit = "m",
     .help = "The first one is 0, each is above the one before it, the last one not below the lid; "
             "in between, values go straight from one to the next."},
    {SOUNDING_KEY(REAL, theta), WABE_RANGE(100, 2000), .unit = "K",
     .help = "Potential temperature."},
    {SOUNDING_KEY(REAL, vapour), .default_value = "0.0", WABE_RANGE(0, 0.1), .unit = "kg/kg",
     .help = "Of water, over dry air."},
    {SOUNDING_KEY(REAL3, wind), .default_value = "[0.0, 0.0, 0.0]", .unit = "m/s",
     .help = "On top of weather.wind; 0 along y."},
    {.path = NULL},
};

const wabe_option wabe_weather_option_rows[] = {
    {WABE_KEY("domain.spacing", REAL, wabe_weather_options, spacing), WABE_POSITIVE, .unit = "m",
     .help = "Edge of a cell along x and z. The y axis is up: domain.cells has the levels in the "
             "middle, at least 8."},
    {KEY(REAL, levels.thickness), .default_value = "unset", WABE_POSITIVE, .unit = "m",
     .help = "Of the lowest level over flat ground; unset: domain.spacing."},
    {KEY(REAL, levels.growth), .default_value = "1.0", WABE_RANGE(0.5, 2),
     .help = "The thickness of a level over that of the level below it."},
    {KEY(WORD, weather.storage), .default_value = "f32", .words = "f64|f32",
     .help = "What values are stored as, and computed in."},
    {KEY(STRING, weather.kernel), .default_value = "",
     .help = "A part of the name of the kernels that must be taken (wabe kernels lists them)."},
    {KEY(REAL, weather.time_step), .default_value = "unset", WABE_POSITIVE, .unit = "s",
     .help =
         "Unset: nine tenths of the largest that is stable for sound with so many substeps, for "
         "winds 30 m/s faster than those at the start, for updraughts of 15 m/s (with water 50 "
         "m/s), and for diffusion."},
    {KEY(INT, weather.substeps), .default_value = "6", WABE_RANGE(6, 64),
     .help = "Substeps for sound of a time step; even."},
    {KEY(REAL, weather.off_centring), .default_value = "0.02", WABE_RANGE(0, 1),
     .help = "Of the implicit steps along y: 0 keeps vertical sound, more damps it, and gravity "
             "waves with it."},
    {KEY(REAL, weather.damping), .default_value = "0.1", WABE_RANGE(0.05, 0.5),
     .help = "Of divergence, which damps sound: the share of the pressure's last change that winds "
             "feel on top."},
    {KEY(REAL, weather.diffusivity), .default_value = "0.0", WABE_RANGE(0, 1e9), .unit = "m^2/s",
     .help = "Of momentum; what is mixed is the deviation from air at rest and its wind."},
    {KEY(REAL, weather.prandtl_number), .default_value = "1.0", WABE_RANGE(0.01, 100),
     .help =
         "weather.diffusivity, and that of eddies, over those of potential temperature and water."},
    {KEY(WORD, weather.turbulence), .default_value = "none", .words = "none|smagorinsky",
     .help =
         "smagorinsky: eddies that cells do not resolve mix momentum, potential temperature and "
         "water, less so the more stably the air is stratified (D. K. Lilly, Tellus 14 (1962) "
         "148); "
         "what mixes up and down is all of them, not only the deviation from air at rest."},
    {KEY(REAL, weather.smagorinsky_constant), .default_value = "0.2", WABE_RANGE(0.01, 1),
     .help = "Of their diffusivity, (constant * size of a cell)^2 times the strain."},
    {KEY(WORD, weather.microphysics), .default_value = "none", .words = "none|kessler",
     .help = "kessler: there is water in the air, as vapour, cloud and rain (J. B. Klemp, R. B. "
             "Wilhelmson, J. Atmos. Sci. 35 (1978) 1070). none: the air is dry."},
    {KEY(REAL, weather.coriolis), .default_value = "0.0", WABE_RANGE(-0.01, 0.01), .unit = "1/s",
     .help = "Twice the Earth's rate of turning times the sine of the latitude, about 1e-4; what "
             "deviates from the wind at the start is turned."},
    {KEY(REAL3, weather.wind), .default_value = "[0.0, 0.0, 0.0]", .unit = "m/s",
     .help = "Of all air at the start, beside what the sounding has; 0 along y."},
    {KEY(LIST, weather.bubbles), .default_value = "()",
     .help = "Where air is warmer or colder at the start.", .elements = bubble_rows,
     .element_size = sizeof(wabe_weather_bubble)},
    {KEY(WORD, sounding.kind), .default_value = "neutral",
     .words = "neutral|isothermal|stratified|weisman_klemp|table",
     .help = "Air at rest: of constant potential temperature; of constant temperature; of constant "
             "frequency of buoyancy; the moist air in which storms grow of M. L. Weisman, J. B. "
             "Klemp, Mon. Weather Rev. 110 (1982) 504, as in J. B. Klemp et al., J. Adv. Model. "
             "Earth Syst. 7 (2015) 1155; of sounding.table."},
    {KEY(REAL, sounding.theta), .default_value = "300.0", WABE_RANGE(100, 1000), .unit = "K",
     .help = "Potential temperature at the ground; of isothermal air its temperature."},
    {KEY(REAL, sounding.pressure), .default_value = "1e5", WABE_RANGE(2e4, 2e5), .unit = "Pa",
     .help = "At the ground."},
    {KEY(REAL, sounding.warmer), .default_value = "0.0", WABE_RANGE(-20, 20), .unit = "K",
     .help = "Of the air at the start, which is balanced, too: the sounding's theta is so much "
             "higher there (kind \"isothermal\": its temperature). Over hills such air shows how "
             "exact pressure gradients along levels are. Not of kinds \"weisman_klemp\" and "
             "\"table\"."},
    {KEY(REAL, sounding.frequency), .default_value = "unset", WABE_RANGE(1e-4, 0.1), .unit = "1/s",
     .help = "Of stratified air: of buoyancy, about 0.01."},
    {KEY(REAL, sounding.vapour), .default_value = "0.014", WABE_RANGE(0, 0.1), .unit = "kg/kg",
     .help = "Of kind weisman_klemp: the most vapour over dry air, which the lowest air has."},
    {KEY(REAL, sounding.shear), .default_value = "0.0", WABE_RANGE(-200, 200), .unit = "m/s",
     .help = "By how much the wind along x is larger high up than at the ground."},
    {KEY(REAL, sounding.shear_depth), .default_value = "5000.0", WABE_POSITIVE, .unit = "m",
     .help = "The height to which it grows, smoothly from 0.8 to 1.2 of it (Klemp et al. 2015). "
             "Winds of the sounding go with the levels: heights are those over flat ground."},
    {KEY(LIST, sounding.table), .default_value = "()", .help = "Of kind table: a row for a height.",
     .elements = sounding_rows, .element_size = sizeof(wabe_sounding_level)},
    {KEY(WORD, terrain.kind), .default_value = "flat", .words = "flat|bell|ridge|schaer|file",
     .help = "The ground: flat; a hill of height / (1 + r^2 / half_width^2)^1.5; a ridge along z, "
             "height / (1 + x^2 / half_width^2); a ridge with valleys, height exp(-x^2 / "
             "half_width^2) cos^2(pi x / wave_length) (C. Schaer et al., Mon. Weather Rev. 130 "
             "(2002) 2459); or what a file says. Levels follow it, less so the higher they are."},
    {KEY(REAL, terrain.height), .default_value = "unset", WABE_POSITIVE, .unit = "m",
     .help = "Of the hill or ridge. Its top may lie between columns."},
    {KEY(REAL, terrain.half_width), .default_value = "unset", WABE_POSITIVE, .unit = "m",
     .help = "See terrain.kind."},
    {KEY(REAL, terrain.wave_length), .default_value = "unset", WABE_POSITIVE, .unit = "m",
     .help = "Of the valleys; kind \"schaer\" only."},
    {KEY(REAL3, terrain.center), .default_value = "unset", .unit = "m",
     .help = "Where the hill or ridge is along x and z, from the domain's corner; along y it does "
             "not matter. "
             "Unset: in the middle."},
    {KEY(STRING, terrain.file), .default_value = "",
     .help = "A grey PNG or an HDF5 file with a value for each column, those along x in a row, the "
             "first row at the domain's lower face; kind \"file\" only. Its path is from the "
             "folder in which wabe is started."},
    {KEY(STRING, terrain.dataset), .default_value = "heights", .help = "In an HDF5 file."},
    {KEY(REAL, terrain.scale), .default_value = "1", .unit = "m per unit of the file",
     .help = "The ground's height is offset + scale * value, from 0 on."},
    {KEY(REAL, terrain.offset), .default_value = "0", .unit = "m", .help = "See terrain.scale."},
    {KEY(REAL, surface.drag), .default_value = "0.0", WABE_RANGE(0, 0.1),
     .help = "Stress of the ground over density times the square of the lowest level's wind; about "
             "1e-3 over "
             "water, 1e-2 over woods. 0: air slides along it."},
    {KEY(REAL, surface.heat_flux), .default_value = "0.0", WABE_RANGE(-2000, 2000), .unit = "W/m^2",
     .help = "From the ground into the air."},
    {KEY(REAL, surface.moisture_flux), .default_value = "0.0", WABE_RANGE(0, 0.01),
     .unit = "kg/(m^2 s)",
     .help = "Of vapour, from the ground into the air; 1e-4 carries 250 W/m^2 of latent heat."},
    {KEY(REAL3, relaxation.width), .default_value = "[0.0, 0.0, 0.0]", .unit = "m",
     .help = "Of the zones in which air is drawn to air at rest with the wind at the start: at "
             "both sides "
             "along x and z, and under the lid; 0: none. They keep waves from coming back."},
    {KEY(REAL3, relaxation.rate), .default_value = "[0.003, 0.003, 0.003]", .unit = "1/s",
     .help = "The rate there at the domain's edge; it falls with sin^2 to 0 at the zone's end."},
    {.path = NULL},
};
