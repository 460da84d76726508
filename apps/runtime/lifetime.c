#include "apps/runtime/lifetime.h"

#include "core/base/log.h"

#include <math.h>
#include <signal.h>

#define LOOK_SECONDS 0.2 /* from one look to the next, about */
#define GROWTH 4.0       /* of the steps between two looks, at most */
#define MINUTE 60.0

static volatile sig_atomic_t signals;
static double run_began;

static void count_signal(int number) {
    if (signals++ == 0)
        return;
    signal(number, SIG_DFL);
    raise(number);
}

void wabe_lifetime_watch(void) {
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    run_began = MPI_Wtime();
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
}

wabe_lifetime wabe_lifetime_begin(MPI_Comm comm, const wabe_checkpoint_options *options,
                                  int64_t step) {
    const double now = MPI_Wtime();
    return (wabe_lifetime){.comm = comm,
                           .options = *options,
                           .looked = step,
                           .look = step + 1,
                           .last = step,
                           .looked_at = now,
                           .saved_at = now};
}

/* Rank 0's clock is everybody's. */
static wabe_decision look(wabe_lifetime *l, int64_t step, uint64_t busy) {
    enum { STOP, SAVE, STEPS, COUNT };
    const double now = MPI_Wtime(), steps = (double)(step - l->looked);
    const wabe_checkpoint_options *o = &l->options;
    double all[COUNT] = {[STOP] = signals > 0};
    int rank;
    MPI_Comm_rank(l->comm, &rank);
    if (rank == 0) {
        const double fitting = steps * LOOK_SECONDS / fmax(now - l->looked_at, 1e-9);
        all[STOP] += o->stop_after > 0.0 && now - run_began >= MINUTE * o->stop_after;
        all[SAVE] = o->minutes > 0.0 && now - l->saved_at >= MINUTE * o->minutes;
        all[STEPS] = floor(fmax(1.0, fmin(fitting, GROWTH * steps)));
    }
    MPI_Allreduce(MPI_IN_PLACE, all, COUNT, MPI_DOUBLE, MPI_MAX, l->comm);
    MPI_Allreduce(&busy, &l->busy, 1, MPI_UINT64_T, MPI_BOR, l->comm);
    l->looked = step;
    l->looked_at = now;
    l->look = step + (int64_t)all[STEPS];
    return all[STOP] > 0.0 ? WABE_SAVE_AND_STOP : all[SAVE] > 0.0 ? WABE_SAVE : WABE_GO_ON;
}

wabe_decision wabe_lifetime_decide(wabe_lifetime *l, int64_t step, bool last, uint64_t busy) {
    const wabe_checkpoint_options *o = &l->options;
    l->busy = UINT64_MAX;
    wabe_decision decision = step >= l->look ? look(l, step, busy) : WABE_GO_ON;
    if (o->every > 0 && step % o->every == 0 && decision == WABE_GO_ON)
        decision = WABE_SAVE;
    if (last) /* it ends anyway */
        decision = o->every > 0 || o->minutes > 0.0 ? WABE_SAVE : WABE_GO_ON;
    if (decision == WABE_SAVE_AND_STOP)
        wabe_log_line("the run ends after step %lld; a second signal ends it at once",
                      (long long)step);
    return decision;
}

wabe_status wabe_lifetime_saved(wabe_lifetime *l, wabe_decision decision, int64_t step,
                                wabe_status status) {
    if (status == WABE_OK)
        l->last = step;
    if (decision == WABE_SAVE_AND_STOP || (status != WABE_FILE && status != WABE_MEMORY))
        return status;
    wabe_log_warning("step %lld has no checkpoint: %s", (long long)step, wabe_error_message());
    return WABE_OK;
}
