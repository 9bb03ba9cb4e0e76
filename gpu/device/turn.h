/* Turns on devices: one search at a time on each device, searches on several devices at
** the same time.
**
**     connection A   --turn on 0-->  job on 0
**     connection B   --turn on 1-->  job on 1             beside it
**     connection C   --turn on 0 . . waits . . -->  job on 0
**
** A caller takes several turns in ascending order, so one of the callers that wait for
** each other always continues. */
#ifndef GPUGRAPH_TURN_H
#define GPUGRAPH_TURN_H

#include "base/run.h"

GG_BEGIN_C

enum { GG_MAX_DEVICES = 16 }; /* larger ordinals are refused */

/* Takes the turn; waits in short steps, so that an interrupt takes effect. Returns
** false after an error. It is an error if the thread has this turn, or that of a
** later device. */
bool gg_turn_take(gpugraph_run *run, int ordinal);
/* Takes the turn for a step that cannot be interrupted and waits for no other device.
** Returns false if this thread has the turn already. */
bool gg_turn_wait(int ordinal);
void gg_turn_end(int ordinal);
/* Returns the last device that this thread has a turn on; negative: none. */
int gg_turn_of_thread(void);

GG_END_C
#endif
