-- REPLACE deletes rows without firing triggers: a row about to be replaced for a UNIQUE key's sake is
-- named before. Where the row stays after all (OR IGNORE), naming it does no harm. One with the new
-- row's own rowid needs no naming: that rowid is logged when the row is in.
CREATE TRIGGER {schema}.{replaced} BEFORE INSERT ON {table} BEGIN
  INSERT INTO {log}(edge) {replaceable};
END
