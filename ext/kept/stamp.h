/* Has a table changed? A stamp is what a schema looks like at one moment: of the kept graph's
** reading, of now. */
#ifndef GPUGRAPH_STAMP_H
#define GPUGRAPH_STAMP_H

#include "source/source.h"

/* What a schema looks like now; made inside the read transaction it holds open. */
typedef struct stamp stamp;

/* Of plain tables, edges and perhaps vertices (else NULL). The read transactions stay
** open until stamp_settle. */
int stamp_take(connection *c, const row_source *edges, const row_source *vertices,
               stamp **made);
/* Of the same schemas as an earlier stamp. */
int stamp_retake(connection *c, const stamp *earlier, stamp **made);
void stamp_settle(stamp *s);
void stamp_free(stamp *s); /* NULL is allowed */
/* Do the tables hold now what they held when the kept stamp was taken? */
bool stamp_agrees(stamp *kept, const stamp *now);
/* May what is read now outlive the statement? */
bool stamp_keepable(connection *c, const stamp *now);
/* The same, but for a write transaction under way. */
bool stamp_trusted(connection *c, const stamp *now);
/* Do names mean what they meant: the same files, the same schemas? */
bool stamp_same_names(const stamp *kept, const stamp *now);
/* What has become of the schema that the edges are in. SAME: no transaction has been
** committed since, and none that writes is under way. */
enum stamp_change { STAMP_SAME, STAMP_WRITTEN, STAMP_NEW_SCHEMA };
enum stamp_change stamp_compare(const stamp *kept, const stamp *now);
/* Is it still SAME, inside a read transaction that is open, provided that the schema is the
** same, and may the table of edges be read? right: as right_holds keeps it. Cheap. */
bool stamp_stands(connection *c, const stamp *kept, sqlite3_stmt **right);
/* Is a write transaction under way where the tables are? */
bool stamp_writing(const stamp *now);
/* But so far it has surely written no row of them; what it may have done to the schema is told by
** its version, which is that of the edges' schema as the transaction sees it. */
bool stamp_unwritten(const stamp *now, int *schema_version);

#endif
