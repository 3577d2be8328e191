-- A Footlight session, version 2. Times are nanoseconds since 1970 (CLOCK_REALTIME). Ids are NULL where there is none.
-- What comes at a high rate lies in *_chunk tables: zstd-compressed columns (engine/session/chunk.h), with their time
-- range and number of rows beside them; *_summary tables hold their sums. Everything else is plain rows.

-- level, version, script, working_directory, python, engine, machine, started_ns
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE run_argument (position INTEGER PRIMARY KEY, value TEXT);
-- How the run ended; no row: it was killed.
CREATE TABLE run_end (time_ns INTEGER, exit_code INTEGER, signal INTEGER, reason TEXT);
-- What was not recorded, and why.
CREATE TABLE dropped (what TEXT, why TEXT, count INTEGER, PRIMARY KEY (what, why)) WITHOUT ROWID;

CREATE TABLE file (id INTEGER PRIMARY KEY, path TEXT, text TEXT);
-- A code object that ran, and the lines its instructions stand on.
CREATE TABLE code (id INTEGER PRIMARY KEY, file INTEGER, qualname TEXT, first_line INTEGER);
CREATE TABLE code_line (code INTEGER, position INTEGER, first_offset INTEGER, line INTEGER,
                        PRIMARY KEY (code, position)) WITHOUT ROWID;

-- A traced function (a tf.function object).
CREATE TABLE function (id INTEGER PRIMARY KEY, name TEXT, file INTEGER, line INTEGER, decorator_line INTEGER);
CREATE TABLE function_parameter (function INTEGER, position INTEGER, name TEXT,
                                 PRIMARY KEY (function, position)) WITHOUT ROWID;

-- One trace of a function. reason: 0 call, 1 get_concrete_function, 2 variable creation, 3 gradient, 4 relaxed.
-- nearest: the existing trace whose key differs in the fewest leaves; source_*: the line that called.
CREATE TABLE trace (id INTEGER PRIMARY KEY, function INTEGER, graph INTEGER, number INTEGER, reason INTEGER,
                    start_ns INTEGER, end_ns INTEGER, python_ns INTEGER, autograph_ns INTEGER, optimize_ns INTEGER,
                    compile_ns INTEGER, signature TEXT, nearest INTEGER, why TEXT, source_code INTEGER,
                    source_offset INTEGER, error TEXT);
CREATE TABLE key_leaf (trace INTEGER, position INTEGER, path TEXT, parameter TEXT, kind TEXT, type TEXT, shape TEXT,
                       value TEXT, PRIMARY KEY (trace, position)) WITHOUT ROWID;
-- Paths of the leaves in which the key differs from the nearest trace's.
CREATE TABLE trace_differing (trace INTEGER, position INTEGER, path TEXT,
                              PRIMARY KEY (trace, position)) WITHOUT ROWID;
CREATE TABLE trace_capture (trace INTEGER, position INTEGER, capture TEXT,
                            PRIMARY KEY (trace, position)) WITHOUT ROWID;

CREATE TABLE graph (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE node (graph INTEGER, position INTEGER, id INTEGER, name TEXT, op TEXT, family TEXT, attributes TEXT,
                   constant TEXT, source_code INTEGER, source_offset INTEGER,
                   PRIMARY KEY (graph, position)) WITHOUT ROWID;
-- node: position of the node in its graph; source: id of the node the value comes from.
CREATE TABLE node_input (graph INTEGER, node INTEGER, position INTEGER, source INTEGER, output INTEGER,
                         PRIMARY KEY (graph, node, position)) WITHOUT ROWID;
CREATE TABLE node_control_input (graph INTEGER, node INTEGER, position INTEGER, source INTEGER,
                                 PRIMARY KEY (graph, node, position)) WITHOUT ROWID;
CREATE TABLE node_output (graph INTEGER, node INTEGER, position INTEGER, type TEXT,
                          PRIMARY KEY (graph, node, position)) WITHOUT ROWID;
-- A graph that a node runs: the branches of an If, the body of a While.
CREATE TABLE node_function (graph INTEGER, node INTEGER, position INTEGER, attribute TEXT, function_graph INTEGER,
                            PRIMARY KEY (graph, node, position)) WITHOUT ROWID;
CREATE TABLE graph_input (graph INTEGER, position INTEGER, node INTEGER, PRIMARY KEY (graph, position)) WITHOUT ROWID;
CREATE TABLE graph_output (graph INTEGER, position INTEGER, node INTEGER, output INTEGER,
                           PRIMARY KEY (graph, position)) WITHOUT ROWID;

-- What AutoGraph made of a function: text, the user's line behind every line, what became of every statement.
CREATE TABLE generated (id INTEGER PRIMARY KEY, function INTEGER, code INTEGER, name TEXT, file INTEGER, text TEXT);
CREATE TABLE generated_line (generated INTEGER, position INTEGER, user_line INTEGER,
                             PRIMARY KEY (generated, position)) WITHOUT ROWID;
CREATE TABLE generated_statement (generated INTEGER, position INTEGER, line INTEGER, last_line INTEGER, kind TEXT,
                                  fate TEXT, note TEXT, PRIMARY KEY (generated, position)) WITHOUT ROWID;
-- A decision taken while tracing: an `if` became cond.
CREATE TABLE decision (trace INTEGER, file INTEGER, line INTEGER, kind TEXT, fate TEXT, note TEXT);

-- stream: 0 stdout, 1 stderr, 2 tf.print, 3 a note of Footlight's
CREATE TABLE console (time_ns INTEGER, stream INTEGER, text TEXT);

-- What the numbers in op events mean.
CREATE TABLE op (id INTEGER PRIMARY KEY, name TEXT, family TEXT);
-- What ops ran on: every op with its dtypes and shapes once, with what it costs. Since version 2.
CREATE TABLE op_signature (id INTEGER PRIMARY KEY, op INTEGER, inputs TEXT, outputs TEXT, input_bytes INTEGER,
                           output_bytes INTEGER, flops INTEGER);
CREATE TABLE thread (number INTEGER PRIMARY KEY, system_id INTEGER, name TEXT);
CREATE TABLE device (number INTEGER PRIMARY KEY, name TEXT, description TEXT);

CREATE TABLE op_chunk (id INTEGER PRIMARY KEY, first_ns INTEGER, last_ns INTEGER, count INTEGER, data BLOB);
CREATE TABLE call_chunk (id INTEGER PRIMARY KEY, first_ns INTEGER, last_ns INTEGER, count INTEGER, data BLOB);
CREATE TABLE device_chunk (id INTEGER PRIMARY KEY, first_ns INTEGER, last_ns INTEGER, count INTEGER, data BLOB);

-- Sums over the chunks, for questions asked with sqlite3. traced: 1 inside a traced call, 0 eager.
CREATE TABLE op_summary (op INTEGER, traced INTEGER, count INTEGER, total_ns INTEGER,
                         PRIMARY KEY (op, traced)) WITHOUT ROWID;
-- outcome: 0 hit, 1 trace, 2 eager, 3 failed
CREATE TABLE call_summary (function INTEGER, trace INTEGER, outcome INTEGER, count INTEGER, total_ns INTEGER);

CREATE VIEW traces AS
  SELECT function.name AS function, trace.number, trace.signature, trace.why,
         (trace.end_ns - trace.start_ns) / 1e6 AS trace_ms,
         (SELECT count(*) FROM node WHERE node.graph = trace.graph) AS nodes,
         (SELECT total(count) FROM call_summary WHERE call_summary.trace = trace.id) AS calls
  FROM trace LEFT JOIN function ON function.id = trace.function ORDER BY trace.function, trace.number;
CREATE VIEW ops AS
  SELECT op.name, op.family, op_summary.traced, op_summary.count, op_summary.total_ns / 1e6 AS total_ms
  FROM op_summary LEFT JOIN op ON op.id = op_summary.op ORDER BY op_summary.total_ns DESC;
