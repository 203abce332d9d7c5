#include "stdlib/console/help_topics.h"

#include <algorithm>

namespace pelorus {

namespace {

// tests/help_test.py runs every example.
constexpr HelpTopic kTopics[] = {
    {.names = "select",
     .syntax = "select [top n] [distinct] expression [as name], … from table [joins] [where …] [group by …] "
               "[having …] [order by …] [limit n]",
     .string = "Reads rows from a table and returns a table. The clauses stand in this order, each may be left "
               "out but for select; without from it computes constants. Names are columns first, then "
               "variables. == and = both compare in a query, `and`, `or`, `not`, `in`, `like`, `between` and "
               "`is null` are operators.",
     .also = "exec, where, group by, order by, join, update",
     .example = R"(t = table(`A`B`A as sym, 1 2 3 as qty)
select sym, qty * 2 as double from t where qty > 1)",
     .shows = R"(sym double
--- ------
B   4
A   6)"},
    {.names = "exec",
     .syntax = "exec expression from table [where …] [group by …]",
     .string = "As select, but returns what one column holds as a vector (an aggregate as a scalar), several "
               "columns as a table, and with pivot by a matrix.",
     .also = "select, pivot by",
     .example = R"(t = table(`A`B`A as sym, 1 2 3 as qty)
exec qty from t where sym = `A
exec sum(qty) from t)",
     .shows = R"([1,3]
6)"},
    {.names = "where",
     .syntax = "where condition, condition, …",
     .string = "Keeps the rows for which all conditions hold; a comma between conditions applies the next one "
               "to the rows that the one before left, which matters for functions of several rows only. "
               "Conditions may be joined with and, or and not.",
     .also = "select, in, like, between",
     .example = R"(t = table(`A`B`C as sym, 1 2 3 as qty)
select * from t where qty >= 2 and sym in `A`B)",
     .shows = R"(sym qty
--- ---
B   2)"},
    {.names = "group by|group",
     .syntax = "group by expression [as name], …",
     .string = "One row for each group of rows with equal keys; all other items are aggregates. With the keys "
               "first, in ascending order.",
     .also = "context by, pivot by, cgroup by, having",
     .example = R"(t = table(`A`B`A as sym, 1 2 3 as qty)
select sum(qty) as total, count(*) as n from t group by sym)",
     .shows = R"(sym total n
--- ----- -
A   4     2
B   2     1)"},
    {.names = "context by|context",
     .syntax = "context by expression, … [csort expression] [having …] [limit n]",
     .string = "Computes by groups as group by, but keeps the rows: a function of the whole group gives one "
               "value for each row (as cumsum), an aggregate is repeated for its rows. csort orders the rows "
               "inside of each group first, limit n takes the first n rows of each group, limit -n the last.",
     .also = "group by, csort, partition by",
     .example = R"(t = table(`A`B`A as sym, 1 2 3 as qty)
select sym, qty, cumsum(qty) as running from t context by sym)",
     .shows = R"(sym qty running
--- --- -------
A   1   1
A   3   4
B   2   2)"},
    {.names = "csort",
     .syntax = "context by expression csort expression [asc|desc], …",
     .string = "Orders the rows inside of each group of context by before anything is computed of them.",
     .also = "context by, order by",
     .example = R"(t = table(`A`B`A as sym, 3 2 1 as qty)
select sym, qty, cumsum(qty) as running from t context by sym csort qty)",
     .shows = R"(sym qty running
--- --- -------
A   1   1
A   3   4
B   2   2)"},
    {.names = "pivot by|pivot",
     .syntax = "pivot by row, column",
     .string = "Makes one row for each value of the first key and one column for each value of the last; the "
               "cells hold the item of the select. With exec the result is a matrix.",
     .also = "group by, exec",
     .example = R"(t = table(1 1 2 as day, `A`B`A as sym, 10 20 30 as qty)
select sum(qty) from t pivot by day, sym)",
     .shows = R"(day A  B
--- -- --
1   10 20
2   30)"},
    {.names = "cgroup by|cgroup",
     .syntax = "cgroup by expression",
     .string = "Cumulative groups: the aggregates of each key are those of all rows up to and with it. May "
               "follow group by, whose keys then separate the sums.",
     .also = "group by, cumsum",
     .example = R"(t = table(1 2 3 as day, 10 20 30 as qty)
select sum(qty) as total from t cgroup by day order by day)",
     .shows = R"(day total
--- -----
1   10
2   30
3   60)"},
    {.names = "having",
     .syntax = "having condition",
     .string = "Keeps the groups for which the condition holds; it may call aggregates. Of context by, the rows "
               "of these groups.",
     .also = "group by, where",
     .example = R"(t = table(`A`B`A as sym, 1 2 3 as qty)
select sum(qty) as total from t group by sym having sum(qty) > 2)",
     .shows = R"(sym total
--- -----
A   4)"},
    {.names = "order by|order",
     .syntax = "order by expression [asc|desc] [nulls first|last], …",
     .string = "Orders the result; equal rows keep their order. It stands behind where, group by and having, "
               "and before limit.",
     .also = "csort, limit, sort",
     .example = R"(t = table(`A`B`C as sym, 1 3 2 as qty)
select * from t order by qty desc)",
     .shows = R"(sym qty
--- ---
B   3
C   2
A   1)"},
    {.names = "limit",
     .syntax = "limit n; limit offset, n",
     .string = "Returns the first n rows, or n rows behind the first `offset` ones. Behind context by it counts "
               "in each group, and -n takes the last n rows.",
     .also = "top, order by",
     .example = R"(t = table(1 2 3 4 as v)
select * from t limit 1, 2)",
     .shows = R"(v
-
2
3)"},
    {.names = "top",
     .syntax = "select top n …; select top a:b …",
     .string = "Returns the first n rows of the result, or those from number a up to, and without, number b. n "
               "is a constant; limit takes any expression.",
     .also = "limit, order by",
     .example = R"(t = table(1 2 3 4 as v)
select top 2 * from t)",
     .shows = R"(v
-
1
2)"},
    {.names = "distinct",
     .syntax = "select distinct expression, … from table",
     .string = "Returns each different row once.",
     .also = "group by, union",
     .example = R"(t = table(`A`B`A as sym)
select distinct sym from t)",
     .shows = R"(sym
---
A
B)"},
    {.names = "case",
     .syntax = "case when condition then value … [else value] end; case x when value then value … [else value] end",
     .string = "The value of the first branch whose condition holds, or that of else, or NULL. Outside of a "
               "query, too.",
     .also = "iif, ?:, if",
     .example = R"(t = table(1 2 3 as v)
select v, case when v > 2 then `big when v > 1 then `middle else `small end as size from t)",
     .shows = R"(v size
- ------
1 small
2 middle
3 big)"},
    {.names = "as",
     .syntax = "expression as name; table as name",
     .string = "Names an item of a select, a column of table(…), or the table of a query, whose columns are "
               "then written name.column.",
     .also = "select, table",
     .example = R"(t = table(1 2 as a)
select x.a + 1 as next from t as x)",
     .shows = R"(next
----
2
3)"},
    {.names = "from",
     .syntax = "from table [as name] [join …]",
     .string = "What the query reads: a table, a call that returns one, a query in brackets, "
               "\"dfs://db\".\"table\", or catalog.schema.table.",
     .also = "select, join, loadTable",
     .example = R"(t = table(1 2 3 as v)
select sum(v) as total from (select * from t where v > 1))",
     .shows = R"(total
-----
5)"},
    {.names = "join|inner join|left join|right join|full join|cross join|left semijoin|asof join|window join",
     .syntax = "table [inner|left|right|full|cross] join table on a.key = b.key [and …]",
     .string = "Matches the rows of two tables. inner keeps pairs of rows that match, left also the rows of the "
               "left table without a match, right those of the right one, full both; cross makes all pairs; "
               "left semijoin keeps the left rows that have a match. As functions: ej (equal), lj, lsj, fj, cj, "
               "and for times aj (as-of), wj (window), pj.",
     .also = "aj, wj, ej, lj, from",
     .example = R"(t = table(`A`B as sym, 1 2 as qty)
s = table(`A`C as sym, `x`y as name)
select t.sym, qty, name from t left join s on t.sym = s.sym)",
     .shows = R"(sym qty name
--- --- ----
A   1   x
B   2)"},
    {.names = "over|partition by",
     .syntax = "f(x) over ([partition by …] [order by …] [rows|range|groups between bound and bound [exclude rows]])",
     .string = "A value for each row from the rows of its window. Bounds are n preceding, n following, "
               "unbounded preceding, unbounded following, current row; they count rows, values of the order, or "
               "groups of rows with equal ones. exclude leaves out the current row, the group of it, or ties: the "
               "others of that group.",
     .also = "context by, mavg, rowNo",
     .example = R"(t = table(`A`A`B as sym, 1 2 3 as qty)
select sym, qty, sum(qty) over (partition by sym order by qty) as running from t)",
     .shows = R"(sym qty running
--- --- -------
A   1   1
A   2   3
B   3   3)"},
    {.names = "union",
     .syntax = "select … union [all] select …",
     .string = "The rows of both queries, each different one once; with all, all of them. Columns go by "
               "position.",
     .also = "select, unionAll",
     .example = R"(t = table(1 2 as v)
s = table(2 3 as v)
select v from t union select v from s)",
     .shows = R"(v
-
1
2
3)"},
    {.names = "with",
     .syntax = "with name as (select …), … select …",
     .string = "Names the results of queries for the query that follows.",
     .also = "select, from",
     .example = R"(t = table(1 2 3 as v)
with big as (select * from t where v > 1) select sum(v) as total from big)",
     .shows = R"(total
-----
5)"},
    {.names = "update",
     .syntax = "update table set column = expression, … [from join] [where …] [context by …]",
     .string = "Changes columns of the rows for which the condition holds; a column that is not there is added "
               "to a table in memory. All values are computed before anything changes.",
     .also = "delete, insert into, update!",
     .example = R"(t = table(`A`B as sym, 1 2 as qty)
update t set qty = qty * 10 where sym = `B
t)",
     .shows = R"(sym qty
--- ---
A   1
B   20)"},
    {.names = "delete",
     .syntax = "delete from table [where …]",
     .string = "Deletes the rows for which the condition holds, all of them without one.",
     .also = "update, drop, undef",
     .example = R"(t = table(1 2 3 as v)
delete from t where v > 1
t)",
     .shows = R"(v
-
1)"},
    {.names = "insert into|insert",
     .syntax = "insert into table [(column, …)] values (value, …), …; insert into table [(column, …)] select …",
     .string = "Appends rows. Columns that are not named get NULL. In values, vectors of the same length give "
               "several rows.",
     .also = "append!, tableInsert, update",
     .example = R"(t = table(`A`B as sym, 1 2 as qty)
insert into t values (`C, 3)
insert into t (sym) values (`D)
t)",
     .shows = R"(sym qty
--- ---
A   1
B   2
C   3
D)"},
    {.names = "create table|create|create database",
     .syntax = "create table [database.]name (column TYPE [comment], …) [partitioned by …] [, sortColumns=…]; "
               "create database \"dfs://path\" partitioned by SCHEME(…), …",
     .string = "Makes an empty table, in memory without a database in front of its name, or a database. The "
               "functions table, database and createPartitionedTable do the same.",
     .also = "table, database, createPartitionedTable, alter, drop",
     .example = R"(create table trades (sym SYMBOL, price DOUBLE)
schema(trades).colDefs.name)",
     .shows = R"(["sym","price"])"},
    {.names = "alter",
     .syntax = "alter table name add column TYPE, or drop [column] name, or rename [column] name to name",
     .string = "Changes the columns of a table.",
     .also = "create table, addColumn, rename!",
     .example = R"(t = table(1 2 as a)
alter table t add b DOUBLE
columnNames(t))",
     .shows = R"(a b
- -
1
2
["a","b"])"},
    {.names = "drop",
     .syntax = "drop table [if exists] name; drop database [if exists] \"dfs://path\"",
     .string = "Removes a table or a database with all its data.",
     .also = "create table, dropTable, dropDatabase, undef",
     .example = R"(t = table(1 2 as a)
drop table t
defined(`t))",
     .shows = "false"},
    {.names = "=|assignment",
     .syntax = "name = value; x[index] = value; a, b = value, value",
     .string = "Gives a name a value; a variable is made by its first assignment and has no declared type. x += "
               "1 and so on change it. `&y = x` makes two names of one object. In a query, where and set, = "
               "compares or sets; elsewhere == compares.",
     .also = "==, const, undef",
     .example = R"(x = 5
x += 1
a, b = 1, 2
x + a + b)",
     .shows = "9"},
    {.names = "const",
     .syntax = "const name = value",
     .string = "Makes a variable that can't be assigned again.",
     .also = "=",
     .example = R"(const limit = 10
limit * 2)",
     .shows = "20"},
    {.names = "if|else|if else|else if",
     .syntax = "if (condition) statement; if (condition) statement else statement",
     .string = "Runs the first statement when the condition is true, else the other. NULL counts as false. else "
               "if (…) continues. For a value write condition ? a : b, for vectors iif(condition, a, b).",
     .also = "?:, iif, case",
     .example = R"(x = 5
if (x > 3) { print("big") } else if (x > 1) { print("middle") } else { print("small") })",
     .shows = "big"},
    {.names = "for",
     .syntax = "for (name in values) statement",
     .string = "Runs the statement for each element of a vector, each row of a table (as a dictionary), or each "
               "integer of a pair a:b (without b). A sequence a..b has both ends. break leaves the loop, "
               "continue begins its next run. Functions of whole vectors, as each, cumsum and the operators, "
               "are faster.",
     .also = "do, break, each, ..",
     .example = R"(total = 0
for (i in 1..4) total += i
total)",
     .shows = "10"},
    {.names = "do|while",
     .syntax = "do { … } while (condition)",
     .string = "Runs the block, and again as long as the condition is true. There is no loop that tests first: "
               "put do into an if.",
     .also = "for, break",
     .example = R"(n = 1
do { n *= 2 } while (n < 100)
n)",
     .shows = "128"},
    {.names = "break|continue",
     .syntax = "break; continue",
     .string = "break leaves the innermost loop, continue begins its next run.",
     .also = "for, do",
     .example = R"(found = 0
for (i in 1..10) { if (i % 2 == 1) continue; if (i > 5) { found = i; break } }
found)",
     .shows = "6"},
    {.names = "def|lambda|->",
     .syntax = "def name(a, b=default, mutable c) { … }; def name(a): expression; def (a) { … }; x -> expression; (x, "
               "y) -> expression",
     .string = "Defines a function; return gives its value. Parameters can't be assigned inside unless they are "
               "mutable; variables of the session are not seen inside, only what the text around a lambda has. "
               "Without a name, def (x) { … } is a value, as x -> … is.",
     .also = "return, defg, each",
     .example = R"(def area(width, height=2) { return width * height }
area(3)
square = x -> x * x
square(4))",
     .shows = R"(6
16)"},
    {.names = "defg",
     .syntax = "defg name(x) { … }",
     .string = "Defines an aggregate: a function that makes one value of a vector, which group by may call.",
     .also = "def, group by, mapr",
     .example = R"(defg spread(x) { return max(x) - min(x) }
t = table(`A`B`A as sym, 1 2 4 as qty)
select spread(qty) as s from t group by sym)",
     .shows = R"(sym s
--- -
A   3
B   0)"},
    {.names = "mapr",
     .syntax = "mapr f(x) { partial(x), … -> combination }",
     .string = "Tells how an aggregate defined with defg is computed from partial results of partitions, so "
               "that the rows stay where they are.",
     .also = "defg, group by, mr",
     .example = R"(defg total(x) { return sum(x) }
mapr total(x) { sum(x) -> sum }
total(1 2 3))",
     .shows = "6"},
    {.names = "return",
     .syntax = "return [value]",
     .string = "Ends the function with that value, or at the top level the script. return a, b returns a tuple.",
     .also = "def",
     .example = R"(def f(x) { if (x < 0) return -1; return 1 }
f(-5))",
     .shows = "-1"},
    {.names = "try|catch",
     .syntax = "try { … } catch (e) { … }",
     .string = "Runs the first block; when an error stops it, the second one with the error in e, a pair of its "
               "kind and its message.",
     .also = "throw, assert",
     .example = R"(try { throw "no data" } catch (e) { print(e[1]) })",
     .shows = "no data"},
    {.names = "throw",
     .syntax = "throw message",
     .string = "Stops with an error, which try … catch catches.",
     .also = "try, assert",
     .example = R"(def root(x) { if (x < 0) throw "x is negative"; return sqrt(x) }
try { root(-1) } catch (e) { print(e[1]) })",
     .shows = "x is negative"},
    {.names = "assert",
     .syntax = "assert [name,] condition",
     .string = "Stops with an error that names the case when the condition is not true.",
     .also = "throw, test",
     .example = R"(assert "sums", 1 + 1 == 2
print("all well"))",
     .shows = "all well"},
    {.names = "share",
     .syntax = "share table as name; share(table, \"name\")",
     .string = "Makes a table known to all sessions under the name; appends to it are atomic. undef(`name, "
               "SHARED) takes it back.",
     .also = "undef, objs",
     .example = R"(share table(1 2 as v) as common
select sum(v) as total from common)",
     .shows = R"(total
-----
3)"},
    {.names = "undef",
     .syntax = "undef name; undef(`name, SHARED); undef all",
     .string = "Removes a variable or a function definition, or a shared table; undef all removes all of the "
               "session.",
     .also = "share, clear!",
     .example = R"(x = 5
undef(`x)
defined(`x))",
     .shows = "false"},
    {.names = "module|use",
     .syntax = "module name, as the first line of the file name.dos; use name",
     .string = "A module is a file of functions in the folder moduleDir. use loads it; its functions are called "
               "by their names, or as name::f where two modules share one.",
     .also = "def, loadModule"},
    {.names = "include",
     .syntax = "#include \"path\"",
     .string = "The statements of the file stand in place of the line.",
     .also = "module, run"},
    {.names = "go",
     .syntax = "go",
     .string = "Ends a part of a script: what stands before it runs before the rest is parsed, so that the rest "
               "may use names that were made as it ran.",
     .also = "run",
     .example = R"(x = 1
go
x + 1)",
     .shows = "2"},
    {.names = "timer",
     .syntax = "timer[(n)] statement",
     .string = "Prints how long the statement takes, or n runs of it.",
     .also = "evalTimer, now"},
    {.names = "class",
     .syntax = "class Name [: Base] { attribute :: TYPE … def Name(…) { … } def method(…) { … } }",
     .string = "Defines a type of objects with attributes and methods. The method with the name of the class is "
               "called to make one; inside of methods, attributes are named as they are, and the object is "
               "self.",
     .also = "def",
     .example = R"(class Counter {
    n :: INT
    def Counter(start) { n = start }
    def next() { n = n + 1; return n }
}
c = Counter(5)
c.next())",
     .shows = "6"},
    {.names = "transaction",
     .syntax = "transaction { … }",
     .string = "Makes the changes of shared tables in the block at once or, after an error, not at all; "
               "rollback at its end undoes them.",
     .also = "share, update",
     .example = R"(share table(1 2 as v) as booked
transaction { update booked set v = v + 1; insert into booked values (9) }
exec v from booked)",
     .shows = "[2,3,9]"},
    {.names = "?:|ternary",
     .syntax = "condition ? a : b",
     .string = "a where the condition is true, else b. It binds tighter than operators: x == 1 ? 5 : 9 is x == "
               "(1 ? 5 : 9); write (x == 1) ? 5 : 9. Only the value that is asked for is computed when the "
               "condition is a scalar; a vector of conditions chooses element by element.",
     .also = "iif, if, case",
     .example = R"(x = 1
(x == 1) ? 5 : 9)",
     .shows = "5"},
    {.names = "<>|metacode|<expression>",
     .syntax = "<expression>",
     .string = "Code as a value: nothing runs until eval(code). sql, parseExpr and expr make code from parts, "
               "<select …> is a query. In metacode _$name is the column that the variable names. Of two values, "
               "a <> b is a != b.",
     .also = "eval, parseExpr, sql",
     .example = R"(c = <1 + 2>
eval(c))",
     .shows = "3"},
    {.names = ".",
     .syntax = "table.column; dictionary.key; x.f(a)",
     .string = "Reads a column or a key, or calls the function f with x as its first argument: x.f(a) is f(x, "
               "a).",
     .also = "[]",
     .example = R"(t = table(1 2 3 as v)
t.v.sum())",
     .shows = "6"},
    {.names = "[]|index",
     .syntax = "x[i]; x[begin:end]; x[i, j]; table[i]; table[`column]; dictionary[key]",
     .string = "Reads elements; the first index is 0, and the end of a range is not part of it. An index may be "
               "a vector of integers or of booleans. Of a matrix, i is the row and j the column. Places outside "
               "give NULL. An empty place takes all.",
     .also = "., at, =",
     .example = R"(x = 10 20 30 40
x[1]
x[1:3]
x[x > 15])",
     .shows = R"(20
[20,30]
[20,30,40])"},
    {.names = "..|sequence",
     .syntax = "a..b",
     .string = "The integers from a to b, both of them.",
     .also = ":, til, for",
     .example = "1..5",
     .shows = "[1,2,3,4,5]"},
    {.names = "vector|list",
     .syntax = "1 2 3; [1, 2, 3]; `a`b`c; [\"a\", \"b\"]",
     .string = "Values of one type in a row. Blanks between constants make a vector, brackets take expressions. "
               "Operators work element by element with the NULLs in place.",
     .also = "[], .., table, dict",
     .example = R"(x = 1 2 3
x * 2 + [10, 20, 30])",
     .shows = "[12,24,36]"},
    {.names = "tuple",
     .syntax = "(a, b, …)",
     .string = "Values of any types in a row (type ANY).",
     .also = "vector, dict",
     .example = R"(x = (1, `a, 2.5)
x[1])",
     .shows = "a"},
    {.names = "dictionary",
     .syntax = "{key: value, …}; dict(keys, values)",
     .string = "Values by key. d[key] reads, d[key] = value writes; a key that is not there gives NULL.",
     .also = "dict, keys, values",
     .example = R"(d = {a: 1, b: 2}
d["c"] = 3
d["a"] + d["c"])",
     .shows = "4"},
    {.names = "string|quotes",
     .syntax = "\"text\"; 'text'; `text",
     .string = "\"…\" and '…' are strings, a single character in '…' is a CHAR. `word is a string of one word, "
               "and `a`b a vector of them. Inside of quotes, \\n, \\t, \\\\ and \\\" are escapes; + joins strings.",
     .also = "string, concat, STRING",
     .example = R"("price: " + string(1.5))",
     .shows = "price: 1.5"},
    {.names = "comment|//",
     .syntax = "// to the end of the line; /* … */",
     .string = "Comments are not run. A first line that begins with #! is one, too.",
     .also = "include",
     .example = "1 + 1  // two",
     .shows = "2"},
    {.names = "NULL|null",
     .syntax = "NULL; 00i, 00F, 00d …; int(NULL)",
     .string = "The missing value. Each type has one: 00i is the NULL of INT, 00F that of DOUBLE, and so on. "
               "Arithmetic with NULL gives NULL, aggregates leave it out, it is less than all values in an "
               "order, and comparisons with it take it so: test with isNull(x) or x is null.",
     .also = "isNull, nullFill, isValid",
     .example = R"(isNull(1 NULL 3)
sum(1 NULL 3))",
     .shows = R"([false,true,false]
4)"},
    {.names = "duration",
     .syntax = "1y 2M 3w 4d 5H 6m 7s 8ms 9us 10ns 1B",
     .string = "A length of time with its unit: years, months, weeks, days, hours, minutes, seconds …, business "
               "days. It is added to times and makes windows of time.",
     .also = "temporalAdd, bar, DURATION",
     .example = R"(2024.01.31 + 1d
bar(09:31:40, 5m))",
     .shows = R"(2024.02.01
09:30:00)"},
    {.names = "date|time literals",
     .syntax = "2024.01.31; 09:30:00; 2024.01.31T09:30:00.123; 2024.01M; 09:30m",
     .string = "Dates and times: DATE, SECOND, TIMESTAMP, MONTH, MINUTE. 2024-01-31 is a subtraction; "
               "date(\"2024-01-31\") converts a string.",
     .also = "DATE, TIMESTAMP, temporalParse, duration",
     .example = "2024.01.31T09:30:00.123 > 2024.01.31T00:00:00.000",
     .shows = "true"},
    {.names = ":E|template operators",
     .syntax = "x f:E y",
     .string = "Applies f to the elements of x and y in pairs. The letters behind a function or operator are :E "
               "each, :L each element of x with all of y, :R all of x with each element of y, :P each element "
               "with the one before it, :O with the one behind it, :A accumulate, :T reduce, :C all pairs "
               "(cross), :U each with a tuple as its result (loop), :H of each row, :V of each column, :G of "
               "each group. As functions: each, eachLeft, eachRight, eachPre, eachPost, accumulate, reduce, "
               "cross, loop, byRow, byColumn, groupby.",
     .also = "each, accumulate, cross",
     .example = R"(1 2 3 +:L 10 20
1 2 3 +:C 10 20)",
     .shows = R"(1  2  3
-- -- --
11 12 13
21 22 23
  10 20
  -- --
1|11 21
2|12 22
3|13 23)"},
    {.names = ":L",
     .syntax = "x f:L y",
     .string = "Applies f to each element of x and all of y.",
     .also = ":E, :R",
     .example = "1 2 +:L 10 20",
     .shows = R"(1  2
-- --
11 12
21 22)"},
    {.names = ":R",
     .syntax = "x f:R y",
     .string = "Applies f to all of x and each element of y.",
     .also = ":E, :L",
     .example = "1 2 +:R 10 20",
     .shows = R"(10 20
-- --
11 21
12 22)"},
    {.names = ":P",
     .syntax = "f:P x",
     .string = "Applies f to each element and the one before it.",
     .also = ":E, :O, deltas",
     .example = "-:P 1 4 9",
     .shows = "[,3,5]"},
    {.names = ":O",
     .syntax = "f:O x",
     .string = "Applies f to each element and the one behind it.",
     .also = ":E, :P",
     .example = "-:O 1 4 9",
     .shows = "[-3,-5,]"},
    {.names = ":A",
     .syntax = "f:A x",
     .string = "Applies f to what came out so far and the next element, and keeps all results.",
     .also = ":T, cumsum",
     .example = "+:A 1 2 3",
     .shows = "[1,3,6]"},
    {.names = ":T",
     .syntax = "f:T x",
     .string = "Applies f to what came out so far and the next element, and keeps the last result.",
     .also = ":A, sum",
     .example = "+:T 1 2 3",
     .shows = "6"},
    {.names = ":C",
     .syntax = "x f:C y",
     .string = "Applies f to all pairs of an element of x and one of y; the result is a matrix.",
     .also = ":E, :L",
     .example = "1 2 *:C 10 20",
     .shows = R"(  10 20
  -- --
1|10 20
2|20 40)"},
    {.names = "@",
     .syntax = "f @ x",
     .string = "Applies f to each element of x; of a vector v, v @ x reads its elements.",
     .also = ":E, each",
     .example = R"(v = 10 20 30
v @ 2)",
     .shows = "30"},
    {.names = "like",
     .syntax = "x like pattern",
     .string = "Whether a string has the pattern, in which % stands for any characters and ? for one. ilike "
               "leaves letter case out.",
     .also = "where, regexFind, startsWith",
     .example = R"(t = table(`apple`pear as name)
select * from t where name like "a%")",
     .shows = R"(name
-----
apple)"},
    {.names = "in",
     .syntax = "x in values; x not in values",
     .string = "Whether values hold x, element by element.",
     .also = "where, between",
     .example = "2 5 in 1 2 3",
     .shows = "[true,false]"},
    {.names = "between",
     .syntax = "x between a:b; in a query also x between a and b",
     .string = "Whether a <= x <= b.",
     .also = "where, in",
     .example = "1 5 9 between 2:6",
     .shows = "[false,true,false]"},
    {.names = "is null|is not null|is",
     .syntax = "x is null; x is not null",
     .string = "Whether x is missing: isNull(x) in the words of SQL.",
     .also = "NULL, isNull",
     .example = R"(t = table(1 NULL 3 as v)
select * from t where v is not null)",
     .shows = R"(v
-
1
3)"},
    {.names = "job",
     .syntax = "submitJob(id, description, f, arguments…)",
     .string = "Runs a function in the background; getJobReturn(id) has its result.",
     .also = "getRecentJobs, timer"},
};

}  // namespace

std::span<const HelpTopic> helpTopics() {
    return kTopics;
}

const HelpTopic* helpTopic(std::string_view name) {
    for (const HelpTopic& topic : kTopics) {
        std::string_view names = topic.names;
        while (!names.empty()) {
            const size_t end = std::min(names.find('|', 1), names.size());  // the name may be the sign itself
            if (names.substr(0, end) == name) return &topic;
            names.remove_prefix(std::min(end + 1, names.size()));
        }
    }
    return nullptr;
}

}  // namespace pelorus
