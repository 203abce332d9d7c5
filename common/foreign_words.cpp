#include "common/foreign_words.h"

#include <span>

#include "common/nearest_name.h"

namespace pelorus {

namespace {

struct ForeignWord {
    std::string_view word;
    std::string_view advice;
};

// tests/mistakes_test.py checks that the functions which the advice names exist.
// Words that stand anywhere.
constexpr ForeignWord kWords[] = {
    // ---- constants
    {"True", "Write true: names are case-sensitive."},
    {"False", "Write false: names are case-sensitive."},
    {"None", "Write NULL; isNull(x) tests for it."},
    {"Null", "Write NULL or null; isNull(x) tests for it."},
    {"nil", "Write NULL; isNull(x) tests for it."},
    {"undefined", "Write NULL; isNull(x) tests for it."},
    {"NA", "Write NULL; isNull(x) tests for it."},
    {"nan", "Write NULL: a missing number of any type is NULL, and isNull(x) tests for it."},
    {"inf", "There is no infinity: a division by 0 gives NULL. Write a large number."},
    {"infinity", "There is no infinity: a division by 0 gives NULL. Write a large number."},
    {"this", "Inside the methods of a class the instance is self."},
    // ---- words of statements
    {"elif", "Write else if (condition) { … }."},
    {"elseif", "Write else if (condition) { … }."},
    {"elsif", "Write else if (condition) { … }."},
    {"then", "Write if (condition) { … } else { … }."},
    {"foreach", "Write for (x in values) { … }, or each(f, values)."},
    {"switch", "Write if (x == 1) { … } else if (x == 2) { … }; in queries case x when 1 then … else … end."},
    {"finally", "There is no finally: write what must always be done after try { … } catch (e) { … }."},
    {"except", "Write try { … } catch (e) { … } for errors, where x not in (exec x from …) for rows."},
    {"raise", "Write throw \"message\"."},
    {"begin", "Blocks stand in braces { … }; transaction { … } makes changes at once or not at all."},
    {"commit", "transaction { … } makes changes at once or not at all; others are committed by each statement."},
    {"rollback", "transaction { … } makes changes at once or not at all; rollback stands at its end."},
    {"pass", "An empty body is { }."},
    {"lambda", "Write x -> x + 1, or (x, y) -> x + y."},
    {"function", "Write def f(x) { return x + 1 }, or x -> x + 1."},
    {"exit", "A script ends with its last line, and return ends it before; exit leaves the console."},
    {"quit", "A script ends with its last line, and return ends it before; quit leaves the console."},
    {"new", "Call the class like a function: Point(1, 2)."},
    {"delete", "Write delete from t where …; undef(`x) removes a variable."},
    {"del", "Write undef(`x) for a variable, delete from t where … for rows."},
    {"import", "Write use name for a module of functions; most of numpy and pandas is built in, see help()."},
    {"require", "Write use name for a module of functions."},
    {"library", "Write use name for a module of functions; most of R's stats is built in, see help()."},
    // ---- words of SQL
    {"by", "Write select avg(price) from t group by sym."},
    {"where", "The condition stands before group by and order by: select … from t where …"},
    {"from", "Write select … from t, with from after the columns."},
    {"describe", "Write schema(t).colDefs for the columns of a table, summary(t) for statistics."},
    {"desc", "Write schema(t).colDefs for the columns of a table; order by x desc sorts downwards."},
    {"show", "objs() lists the variables, getTables(database(\"dfs://db\")) the tables of a database."},
    {"tables", "objs() lists the variables, getTables(database(\"dfs://db\")) the tables of a database."},
    {"databases", "getClusterDFSDatabases() lists the databases."},
    {"current_date", "Write today()."},
    {"current_timestamp", "Write now()."},
    {"current_time", "Write second(now()) or now()."},
    {"getdate", "Write now()."},
    {"rownum", "Write limit n at the end for the first n rows; rowNo(x) numbers them."},
    {"descending", "Write order by x desc."},
    {"ascending", "Write order by x asc."},
    // ---- Python, numpy, pandas
    {"np", "numpy's functions are built in under their own names: avg(x), sqrt(x). help() lists them."},
    {"numpy", "numpy's functions are built in under their own names: avg(x), sqrt(x). help() lists them."},
    {"pd", "Tables are built in: table(1 2 as a), loadText(\"file.csv\"), select … from t. help() lists functions."},
    {"pandas",
     "Tables are built in: table(1 2 as a), loadText(\"file.csv\"), select … from t. help() lists functions."},
    {"math", "Functions are called without a module: sqrt(x), sin(x)."},
    {"echo", "Write print(x)."},
    {"console", "Write print(x)."},
    {"man", "Write help(\"name\")."},
    {"ls", "objs() lists the variables; files(\".\") a folder."},
    {"who", "objs() lists the variables."},
    {"whos", "objs() lists the variables."},
    {"dir", "objs() lists the variables, defs() the functions."},
    {"clear", "undef(all) removes all variables; clear!(x) empties one."},
    // ---- kdb+
    {"fills", "Write ffill(x)."},
    {"upsert", "Write upsert!(t, rows, keyColNames=`key)."},
};

// Names that are called.
constexpr ForeignWord kFunctions[] = {
    // ---- words of SQL
    {"lag", "Write prev(x), or move(x, n)."},
    {"lead", "Write next(x), or move(x, -n)."},
    {"nvl", "Write nullFill(x, value), or coalesce(x, y)."},
    {"isna", "Write isNull(x)."},
    {"isnan", "Write isNull(x): a missing number is NULL."},
    {"is_null", "Write isNull(x)."},
    {"notna", "Write isValid(x)."},
    {"notnull", "Write isValid(x)."},
    {"decode", "Write case x when 1 then … else … end in a query, or iif(condition, a, b)."},
    {"ifelse", "Write iif(condition, a, b), or condition ? a : b."},
    {"stddev", "Write std(x), or stdp(x) of the population."},
    {"stddev_samp", "Write std(x)."},
    {"stddev_pop", "Write stdp(x)."},
    {"var_samp", "Write var(x)."},
    {"var_pop", "Write varp(x)."},
    {"variance", "Write var(x), or varp(x) of the population."},
    {"average", "Write avg(x)."},
    {"percentile_cont", "Write percentile(x, 50), with the percent from 0 to 100, or median(x)."},
    {"vwap", "Write wavg(price, volume)."},
    {"date_trunc", "Write bar(x, 1H), date(x), month(x), or temporal units as in hour(x)."},
    {"datetrunc", "Write bar(x, 1H), date(x), month(x), or temporal units as in hour(x)."},
    {"time_bucket", "Write bar(time, 5m)."},
    {"date_add", "Write temporalAdd(x, 1, `d), or x + 1d."},
    {"datediff", "Write date(b) - date(a) for days."},
    {"date_diff", "Write date(b) - date(a) for days."},
    {"to_char", "Write temporalFormat(x, \"yyyy-MM-dd\") or format(x, \"0.00\"); string(x) without a format."},
    {"strftime", "Write temporalFormat(x, \"yyyy-MM-dd\")."},
    {"to_date", "Write date(\"2024.01.31\"), or temporalParse(\"31/01/2024\", \"dd/MM/yyyy\")."},
    {"str_to_date", "Write date(\"2024.01.31\"), or temporalParse(\"31/01/2024\", \"dd/MM/yyyy\")."},
    {"strptime", "Write temporalParse(\"31/01/2024\", \"dd/MM/yyyy\")."},
    {"to_datetime", "Write datetime(\"2024.01.31T09:30:00\"), or temporalParse(x, \"dd/MM/yyyy\")."},
    {"extract", "Write year(x), monthOfYear(x), dayOfMonth(x), hour(x), minuteOfHour(x) …"},
    {"substring", "Write substr(x, offset, length); the first character has offset 0."},
    {"len", "Write size(x), strlen(x) for a string, rows(t) for a table."},
    {"length", "Write size(x), strlen(x) for a string, rows(t) for a table."},
    {"char_length", "Write strlen(x)."},
    {"instr", "Write strpos(x, pattern)."},
    {"indexof", "Write strpos(x, pattern) for a string, find(x, value) for a vector."},
    {"string_agg", "Write concat(x, \",\")."},
    {"group_concat", "Write concat(x, \",\")."},
    {"array_agg", "Write toArray(x)."},
    {"approx_count_distinct", "Write nunique(x)."},
    {"count_distinct", "Write nunique(x)."},
    {"generate_series", "Write a..b, or seq(a, b)."},
    // ---- Python, numpy, pandas
    {"read_csv", "Write loadText(\"file.csv\")."},
    {"to_csv", "Write saveText(t, \"file.csv\")."},
    {"dataframe", "Write table(1 2 as a, `x`y as b)."},
    {"iloc", "Write t[0] for a row, t[0:2] for a range of rows."},
    {"loc", "Write t[t.x > 1], or select … from t where x > 1."},
    {"columns", "Write columnNames(t), or schema(t).colDefs with the types."},
    {"dtypes", "Write schema(t).colDefs."},
    {"dtype", "Write typestr(x)."},
    {"info", "Write schema(t).colDefs for the columns, summary(t) for statistics."},
    {"sort_values", "Write select * from t order by x, or t.sortBy!(`x)."},
    {"fillna", "Write nullFill(x, value); ffill(x) takes the value before."},
    {"value_counts", "Write select count(*) from t group by x."},
    {"reset_index", "Tables have no index: nothing is to be reset."},
    {"astype", "Write cast(x, DOUBLE), or double(x)."},
    {"apply", "Write each(f, x), or call f(x) with the whole vector."},
    {"map", "Write each(f, x), or call f(x) with the whole vector."},
    {"sapply", "Write each(f, x)."},
    {"lapply", "Write each(f, x)."},
    {"filter", "Write x[x > 1]: an index of booleans chooses elements."},
    {"range", "Write 0..9 (both ends belong to it), or til(10)."},
    {"arange", "Write 0..9 (both ends belong to it), or til(10)."},
    {"enumerate", "Write for (i in 0..(size(x) - 1)) { … x[i] … }."},
    {"zip", "Write loop(pair, x, y), or for (i in 0..(size(x) - 1)) { … x[i], y[i] … }."},
    {"linspace", "Write begin + (0..n) * step."},
    {"zeros", "Write take(0.0, n), or array(DOUBLE, n)."},
    {"ones", "Write take(1.0, n)."},
    {"list", "Write [1, 2, 3] or 1 2 3; a vector that grows is array(INT, 0) with append!(x, value)."},
    {"tuple", "Write (1, `a, 2.5)."},
    {"vector", "Write [1, 2, 3] or 1 2 3."},
    {"str", "Write string(x)."},
    {"tostring", "Write string(x)."},
    {"parsefloat", "Write double(x)."},
    {"typeof", "Write typestr(x)."},
    {"isinstance", "Write typestr(x) == \"…\" or form(x)."},
    {"sorted", "Write sort(x)."},
    {"reversed", "Write reverse(x)."},
    {"unique", "Write distinct(x)."},
    {"argsort", "Write isort(x)."},
    {"argmax", "Write imax(x)."},
    {"argmin", "Write imin(x)."},
    {"concatenate", "Write concatMatrix, or join(x, y) for vectors."},
    {"append", "Write append!(x, value), which changes x, or join(x, value), which does not."},
    {"push", "Write append!(x, value)."},
    {"pct_change", "Write percentChange(x)."},
    {"diff", "Write deltas(x)."},
    {"shift", "Write move(x, n), prev(x) or next(x)."},
    {"println", "Write print(x)."},
    {"printf", "Write print(\"x is \" + string(x)); format(x, \"0.00\") shapes numbers."},
    {"sprintf", "Write \"x is \" + string(x); format(x, \"0.00\") shapes numbers."},
    {"cat", "Write print(x), or concat(x, \" \")."},
    // ---- R
    {"c", "Write [1, 2, 3] or 1 2 3."},
    {"rep", "Write take(x, n)."},
    {"paste", "Write \"a\" + \"b\", or concat(x, \" \")."},
    {"nrow", "Write rows(t)."},
    {"ncol", "Write cols(t)."},
    {"dim", "Write shape(x)."},
    {"names", "Write columnNames(t) for a table, keys(d) for a dictionary."},
    {"colnames", "Write columnNames(t)."},
    {"sd", "Write std(x)."},
    {"which", "Write at(x > 1): the places where a vector of booleans is true."},
    // ---- kdb+
    {"xbar", "Write bar(x, width)."},
    {"mdev", "Write mstdp(x, n)."},
};

// Names of types.
constexpr ForeignWord kTypes[] = {
    {"integer", "The type is INT; int(x) converts."},
    {"bigint", "The type is LONG; long(x) converts."},
    {"smallint", "The type is SHORT; short(x) converts."},
    {"tinyint", "The type is CHAR; char(x) converts."},
    {"varchar", "The type is STRING, or SYMBOL for few different values, without a length."},
    {"nvarchar", "The type is STRING, or SYMBOL for few different values, without a length."},
    {"text", "The type is STRING, or SYMBOL for few different values; string(x) converts."},
    {"numeric", "The type is DECIMAL64(scale), or DOUBLE."},
    {"number", "The type is DOUBLE, LONG or DECIMAL64(scale)."},
    {"real", "The type is FLOAT, or DOUBLE."},
    {"boolean", "The type is BOOL; bool(x) converts."},
    {"timestamptz", "The type is TIMESTAMP, or NANOTIMESTAMP; they have no time zone."},
    {"float64", "The type is DOUBLE; double(x) converts."},
    {"float32", "The type is FLOAT; float(x) converts."},
    {"int64", "The type is LONG; long(x) converts."},
    {"int32", "The type is INT; int(x) converts."},
};

}  // namespace

static std::string adviceIn(std::span<const ForeignWord> rows, std::string_view word) {
    const ForeignWord* sameLetters = nullptr;
    for (const ForeignWord& row : rows) {
        if (row.word == word) return std::string(row.advice);
        if (differsInCaseOnly(row.word, word)) sameLetters = &row;
    }
    return sameLetters ? std::string(sameLetters->advice) : std::string();
}

std::string foreignWordAdvice(std::string_view word) {
    return adviceIn(kWords, word);
}

std::string foreignFunctionAdvice(std::string_view name) {
    std::string advice = adviceIn(kFunctions, name);
    return advice.empty() ? adviceIn(kWords, name) : advice;
}

std::string foreignTypeAdvice(std::string_view name) {
    return adviceIn(kTypes, name);
}

std::vector<std::string_view> foreignFunctions() {
    std::vector<std::string_view> names;
    for (const ForeignWord& row : kFunctions) names.push_back(row.word);
    return names;
}

}  // namespace pelorus
