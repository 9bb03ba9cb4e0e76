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
/* After the driver has registered handlers of exit(): these run later than ours from now on, and where one of them
** faults, exit() goes on with the next one. */
void gg_note_end_first(void);

/* ---- for opening.c ---- */

/* Counts a thread as inside the driver, before it is started. False: none may be started now. */
bool gg_go_inside(void);
/* The thread could not be started, or has left the driver. */
void gg_come_outside(void);
/* The calling thread is one that opens a device. */
void gg_note_opener(void);
/* From now on exit() waits until the calling thread, which has opened, has ended. False: exit() has been called
** already. */
bool gg_be_awaited(void);
/* Stops the calling thread for good, whose own end would need what exit() pulls down: the process leaves with the
** thread inside the driver. */
__attribute__((noreturn)) void gg_stay(void);

#ifdef __cplusplus
}
#endif
#endif
