-- Loads the road network of New York; quickstart.sh runs it in examples/.
--
--   roads(id, src, dst, length)       every road between two crossings, once, usable in both directions; decimetres
--   crossings(id, lon, lat)           degrees
--   landmarks(name, lon, lat, node)   node: the crossing nearest to the landmark

CREATE TABLE roads(id INTEGER PRIMARY KEY, src INTEGER, dst INTEGER, length INTEGER);
CREATE TABLE crossings(id INTEGER PRIMARY KEY, lon REAL, lat REAL);
CREATE TABLE landmarks(name TEXT PRIMARY KEY, lon REAL, lat REAL, node INTEGER);

.mode tabs
CREATE TEMP TABLE line(a, b, c);
.import '|xz -dc data/new-york-roads.tsv.xz' line
INSERT INTO roads(src, dst, length) SELECT * FROM line;
DELETE FROM line;
.import '|xz -dc data/new-york-crossings.tsv.xz' line
INSERT INTO crossings SELECT a, b / 1e6, c / 1e6 FROM line;
DELETE FROM line;
.import data/landmarks.tsv line

-- Finds the nearest crossing of each landmark: the candidates in a box, through the index, then the shortest straight line. A
-- degree of longitude is cos(latitude) times as long as one of latitude.
CREATE INDEX crossings_by_lat ON crossings(lat, lon);
INSERT INTO landmarks
SELECT name, lon, lat, node
FROM (SELECT l.a AS name, l.b AS lon, l.c AS lat, c.id AS node,
             min(pow((c.lon - l.b) * cos(radians(c.lat)), 2) + pow(c.lat - l.c, 2))
      FROM line l JOIN crossings c ON c.lat BETWEEN l.c - 0.01 AND l.c + 0.01
                                  AND c.lon BETWEEN l.b - 0.01 AND l.b + 0.01
      GROUP BY l.a);
DROP TABLE line;
