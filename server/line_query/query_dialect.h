// Translates queries of the line protocol's clients into the SQL of Pelorus: SAMPLE BY, LATEST BY and LATEST ON, times
// in quotes, strings in single quotes, and names in double quotes. All else is left as it is.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace pelorus {

// The tables and functions that a query may name, as far as its translation depends on them.
struct DialectNames {
    std::map<std::string, std::string, std::less<>> variables;    // variable that holds a table, by name of the table
    std::map<std::string, std::string, std::less<>> timeColumns;  // time column of a table, by its variable
    std::set<std::string, std::less<>> temporalColumns;           // names of the temporal columns of all tables
    std::function<bool(std::string_view name)> isAggregate;       // returns whether a function is an aggregate
};

// Returns the translated query. Throws UserError for a form of SAMPLE BY or LATEST that has no equivalent. Examples:
//
//   select hostname, avg(load) from cpu where timestamp >= '2026-01-01T00:00:00Z' sample by 1h
//   select hostname, avg_load from (select avg(load) as avg_load from cpu where timestamp >= 2026.01.01T00:00:00…
//       group by bar(timestamp, 1H) as timestamp, hostname) order by timestamp
//   select "cpu load" from "my table" where "group" = 'a'
//   select _"cpu load" from lineTable_1 where _"group" = "a"
std::string translateQuery(std::string_view query, const DialectNames& names);

}  // namespace pelorus
