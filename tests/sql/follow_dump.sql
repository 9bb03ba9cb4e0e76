-- Dumps a followed graph and restores it, by a shell with the extension and by a shell without it.
.open first.db
CREATE TABLE roads(a, b, metres);
INSERT INTO roads VALUES (1, 2, 5), (2, 3, 7), (3, 4, 1), (9, 9, 9);
.shell sqlite3 -cmd ".load build/gpugraph" first.db "CREATE VIRTUAL TABLE g USING gpugraph(roads(a, b, metres)); SELECT count(*) FROM g"
-- Writing and dumping without the extension.
DELETE FROM roads WHERE a = 9;
INSERT INTO roads VALUES (4, 5, 6);
.output dump.txt
.dump
.output
.open second.db
-- Newer shells are defensive, except for a dump on standard input.
.output dump.log
.dbconfig defensive off
.output
.read dump.txt
.open second.db
INSERT INTO roads VALUES (5, 6, 7);
DROP TABLE g;
SELECT * FROM g;
.shell sqlite3 -cmd ".load build/gpugraph" second.db "SELECT *, gpugraph_check('g') FROM g; INSERT INTO roads VALUES (6, 7, 8); SELECT count(*) FROM gpu_bfs('g', 1); SELECT name, kind, state FROM gpugraph_graphs WHERE kind = 'followed'"
.print -- with the extension
.shell (echo .dump | sqlite3 -cmd ".load build/gpugraph" first.db) > dump.txt
.shell sqlite3 -cmd ".load build/gpugraph" third.db < dump.txt
.shell sqlite3 -cmd ".load build/gpugraph" third.db "DELETE FROM roads WHERE a = 1; SELECT *, gpugraph_check('g') FROM g; DROP TABLE g; SELECT name FROM sqlite_schema"
.shell sqlite3 -readonly -cmd ".load build/gpugraph" first.db "SELECT count(*), gpugraph_check('g') FROM g"
