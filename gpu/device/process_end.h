/* The end of a process while threads of the library open devices: a driver is not waited for, what it has half
** built is not pulled down under it, and the host's handlers of exit() run. */
#ifndef GPUGRAPH_PROCESS_END_H
#define GPUGRAPH_PROCESS_END_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Has exit() been called? Then nothing new is begun. */
bool gg_process_ends(void);
/* Around steps of the opening's thread that are short, or look at gg_process_ends often: exit() runs no
** handler that was registered before until they are done, for GG_OPENING_HELD_MS at most. False: the process
** ends already, and nothing is held. */
bool gg_hold_end(void);
void gg_let_end(void);
/* Handlers of exit() that have been registered since the first thread went inside, the driver's, run behind all
** of that from now on, and one that falls is left where it lies. */
void gg_note_end_first(void);

/* ---- for opening.c ---- */

/* Before a thread that opens is begun. False: not now. */
bool gg_go_inside(void);
/* That thread is not there, or no longer inside. */
void gg_come_outside(void);
/* By that thread as it begins. */
void gg_note_opener(void);
/* By that thread once it has opened: exit() waits for it to be gone. False: it has been called already. */
bool gg_be_awaited(void);
/* What a thread's own end needs is being pulled down: the process leaves with it inside. */
__attribute__((noreturn)) void gg_stay(void);

#ifdef __cplusplus
}
#endif
#endif
