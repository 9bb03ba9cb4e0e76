-- needs: data/snap/soc-Slashdot0902.tsv.xz
-- Slashdot's friends and foes (SNAP): 78,303 loops, a few vertices with very many edges.
CREATE TABLE link(src INTEGER, dst INTEGER);
.mode tabs
.import '|xz -dc data/snap/soc-Slashdot0902.tsv.xz' link
.mode list
SELECT 'loops', count(*) FROM link WHERE src = dst;
CREATE TABLE edge AS SELECT rowid AS id, src, dst FROM link;
CREATE TABLE start(vertex);
INSERT INTO start VALUES (100);
.read oracles/bfs.sql
CREATE TABLE answer AS SELECT vertex, depth, parent, edge FROM gpu_bfs('link', 100);
SELECT 'missing', * FROM (SELECT vertex, depth, parent, edge FROM bfs EXCEPT SELECT * FROM answer) LIMIT 5;
SELECT 'wrong', * FROM (SELECT * FROM answer EXCEPT SELECT vertex, depth, parent, edge FROM bfs) LIMIT 5;
SELECT 'reached', count(*), max(depth) FROM answer;

-- Without loops the set is independent and maximal.
CREATE TABLE member(vertex INTEGER PRIMARY KEY);
INSERT INTO member SELECT vertex FROM gpu_mis('link');
SELECT 'not independent', * FROM link WHERE src IN member AND dst IN member AND src <> dst LIMIT 5;
SELECT 'not maximal', vertex FROM (
    SELECT src AS vertex FROM link UNION SELECT dst FROM link EXCEPT SELECT vertex FROM member
    EXCEPT SELECT dst FROM link WHERE src IN member EXCEPT SELECT src FROM link WHERE dst IN member) LIMIT 5;
SELECT 'members', count(*) > 10000 FROM member;
