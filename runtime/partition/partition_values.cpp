#include "runtime/partition/partition_values.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "common/error.h"
#include "runtime/value/print.h"

namespace pelorus {

void refuseBlanks(const Value& values) {
    if (!isLiteral(values.type())) return;
    for (int64_t i = 0; i < values.size(); ++i) {
        const Value value = values.isScalar() ? values : values.at(i);
        if (value.string().find_first_of(" \t\r\n") == std::string_view::npos) continue;
        throw UserError(fmt::format("The value \"{}\" of a VALUE scheme has a blank, tab or line break. RefId: S01018",
                                    value.string()),
                        "Take another column, or HASH partitions.");
    }
}

void refuseRepeated(const Value& lists) {
    if (!lists.isTuple()) return;
    std::set<std::string> seen;
    for (int64_t i = 0; i < lists.size(); ++i) {
        const Value list = lists.at(i);
        for (int64_t k = 0; k < list.size(); ++k) {
            const std::string value = toString(list.isScalar() ? list : list.at(k));
            if (!seen.insert(value).second)
                throw UserError("The value " + value + " of a LIST scheme stands in it twice.");
        }
    }
}

}  // namespace pelorus
