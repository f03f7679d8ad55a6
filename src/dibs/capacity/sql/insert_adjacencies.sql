INSERT INTO table_adjacencies (table_a, table_b)
SELECT * FROM unnest(%(ones)s::uuid[], %(others)s::uuid[]);
