// Translates what clients of the line protocol write in queries into our SQL: SAMPLE BY, LATEST BY and LATEST ON, times
// in quotes, strings in single quotes, and names in double quotes. All else passes as it is.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace pelorus {

// What a translation must know of the tables and functions that a query names.
struct DialectNames {
    std::map<std::string, std::string, std::less<>> variables;    // by table: the variable that holds it
    std::map<std::string, std::string, std::less<>> timeColumns;  // by variable: the column of the rows' times
    std::set<std::string, std::less<>> temporalColumns;           // of all tables
    std::function<bool(std::string_view name)> isAggregate;       // whether a function is one
};

// Returns the query in our SQL. Throws UserError for SAMPLE BY or LATEST with what has no equal here.
//
//   select hostname, avg(load) from cpu where timestamp >= '2026-01-01T00:00:00Z' sample by 1h
//   select hostname, avg_load from (select avg(load) as avg_load from cpu where timestamp >= 2026.01.01T00:00:00…
//       group by bar(timestamp, 1H) as timestamp, hostname) order by timestamp
//   select "cpu load" from "my table" where "group" = 'a'
//   select _"cpu load" from lineTable_1 where _"group" = "a"
std::string translateQuery(std::string_view query, const DialectNames& names);

}  // namespace pelorus
