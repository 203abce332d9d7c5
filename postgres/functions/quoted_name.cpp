#include "postgres/functions/quoted_name.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace pelorus::postgres {

std::string quotedName(std::string_view name) {
    const bool isPlain = !name.empty() && (std::islower(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_') &&
                         std::all_of(name.begin(), name.end(), [](unsigned char c) {
                             return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
                         });
    // Words that the grammar keeps for itself.
    constexpr std::string_view kReserved[] = {
        "all",      "and",   "as",   "asc",  "case",   "cast",   "check", "column", "create",  "default",    "desc",
        "distinct", "do",    "else", "end",  "false",  "for",    "from",  "grant",  "group",   "having",     "in",
        "into",     "limit", "not",  "null", "offset", "on",     "or",    "order",  "primary", "references", "select",
        "table",    "then",  "to",   "true", "union",  "unique", "user",  "using",  "when",    "where",      "with"};
    if (isPlain && std::find(std::begin(kReserved), std::end(kReserved), name) == std::end(kReserved))
        return std::string(name);
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}
}  // namespace pelorus::postgres
