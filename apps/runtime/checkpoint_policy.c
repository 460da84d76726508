#include "apps/runtime/checkpoint_policy.h"

#include "core/base/log.h"

#include <math.h>
#include <signal.h>

#define LOOK_SECONDS 0.2 /* approximate interval of checks of clock and signals */
#define GROWTH 4.0       /* of the number of steps between checks, at most */
#define MINUTE 60.0

static volatile sig_atomic_t signals;
static double run_began;

static void count_signal(int number) {
    if (signals++ == 0)
        return;
    signal(number, SIG_DFL);
    raise(number);
}

void wabe_checkpoint_watch(void) {
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    run_began = MPI_Wtime();
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
}

bool wabe_checkpoint_is_signalled(void) { return signals > 0; }

wabe_checkpoint_policy
wabe_checkpoint_policy_begin(MPI_Comm comm, const wabe_checkpoint_options *options, int64_t step) {
    const double now = MPI_Wtime();
    return (wabe_checkpoint_policy){.comm = comm,
                                    .options = *options,
                                    .looked = step,
                                    .look = step + 1,
                                    .looked_at = now,
                                    .saved_at = now};
}

/* Rank 0's clock decides. */
static wabe_decision look(wabe_checkpoint_policy *p, int64_t step, uint64_t *busy) {
    enum { STOP, SAVE, STEPS, COUNT };
    const double now = MPI_Wtime(), steps = (double)(step - p->looked);
    const wabe_checkpoint_options *o = &p->options;
    double all[COUNT] = {[STOP] = signals > 0};
    int rank;
    MPI_Comm_rank(p->comm, &rank);
    if (rank == 0) {
        const double fitting = steps * LOOK_SECONDS / fmax(now - p->looked_at, 1e-9);
        all[STOP] += o->stop_after > 0.0 && now - run_began >= MINUTE * o->stop_after;
        all[SAVE] = o->minutes > 0.0 && now - p->saved_at >= MINUTE * o->minutes;
        all[STEPS] = floor(fmax(1.0, fmin(fitting, GROWTH * steps)));
    }
    MPI_Allreduce(MPI_IN_PLACE, all, COUNT, MPI_DOUBLE, MPI_MAX, p->comm);
    MPI_Allreduce(MPI_IN_PLACE, busy, 1, MPI_UINT64_T, MPI_BOR, p->comm);
    p->looked = step;
    p->looked_at = now;
    p->look = step + (int64_t)all[STEPS];
    return all[STOP] > 0.0 ? WABE_SAVE_AND_STOP : all[SAVE] > 0.0 ? WABE_SAVE : WABE_GO_ON;
}

wabe_decision wabe_checkpoint_decide(wabe_checkpoint_policy *p, int64_t step, bool last,
                                     uint64_t *busy) {
    const wabe_checkpoint_options *o = &p->options;
    wabe_decision decision = WABE_GO_ON;
    if (step >= p->look)
        decision = look(p, step, busy);
    else
        *busy = UINT64_MAX;
    if (o->every > 0 && step % o->every == 0 && decision == WABE_GO_ON)
        decision = WABE_SAVE;
    if (last) /* the run ends anyway */
        decision = o->last ? WABE_SAVE : WABE_GO_ON;
    if (decision == WABE_SAVE_AND_STOP)
        wabe_log_line("the run ends after step %lld; a second signal ends it at once",
                      (long long)step);
    if (decision != WABE_GO_ON) /* the interval starts again */
        p->saved_at = MPI_Wtime();
    return decision;
}
