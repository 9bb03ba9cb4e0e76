/* Whether a table has changed. A stamp is the state of schemas at one moment. */
#ifndef GPUGRAPH_STAMP_H
#define GPUGRAPH_STAMP_H

#include "source/source.h"

/* The state of schemas, taken inside the read transactions that the stamp holds open. */
typedef struct stamp stamp;

/* Takes a stamp of plain tables, of edges and of vertices (NULL: none). The read
** transactions stay open until stamp_settle. */
int stamp_take(connection *c, const row_source *edges, const row_source *vertices,
               stamp **made);
/* Takes a stamp of the schemas of an earlier stamp. */
int stamp_retake(connection *c, const stamp *earlier, stamp **made);
void stamp_settle(stamp *s);
void stamp_free(stamp *s); /* NULL is allowed */
/* True if the tables are unchanged since the kept stamp was taken. */
bool stamp_agrees(stamp *kept, const stamp *now);
/* True if a graph that is read under this stamp may outlive the statement. */
bool stamp_keepable(connection *c, const stamp *now);
/* True if it may, apart from the rule about write transactions. */
bool stamp_trusted(connection *c, const stamp *now);
/* True if names stand for equal files and schemas in both stamps. */
bool stamp_same_names(const stamp *kept, const stamp *now);
/* Compares the states of the schema that the edges are in. SAME: no transaction has been
** committed since, and no write transaction is open. */
enum stamp_change { STAMP_SAME, STAMP_WRITTEN, STAMP_NEW_SCHEMA };
enum stamp_change stamp_compare(const stamp *kept, const stamp *now);
/* True if the state is still SAME and the table of edges may be read. Cheap, but the
** caller must know that a read transaction is open and the schema is unchanged. right:
** the statement that right_holds keeps. */
bool stamp_stands(connection *c, const stamp *kept, sqlite3_stmt **right);
/* True if a write transaction is open in a schema of the tables. */
bool stamp_writing(const stamp *now);
/* True if the open write transaction has surely written no row of the tables yet. It may
** have changed the schema: *schema_version is the version that the transaction sees. */
bool stamp_unwritten(const stamp *now, int *schema_version);

#endif
