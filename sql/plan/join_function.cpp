#include "sql/plan/join_function.h"

#include <algorithm>

#include "common/check.h"

namespace pelorus {

namespace {

struct NarrowedFunction {
    std::string_view name;
    // Window joins read columns in their aggregates, and add columns of any name: both sides are read whole.
    std::optional<JoinKind> narrowed;
};

constexpr NarrowedFunction kFunctions[] = {{"ej", JoinKind::Inner},
                                           {"lj", JoinKind::Left},
                                           {"lsj", JoinKind::Left},
                                           {"fj", JoinKind::Full},
                                           {"aj", JoinKind::Left},
                                           {"cj", JoinKind::Cross},
                                           {"sej", JoinKind::Inner},
                                           {"pj", JoinKind::Left},
                                           {"wj", {}},
                                           {"pwj", {}}};

const NarrowedFunction* findFunction(std::string_view name) {
    const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                     [&](const NarrowedFunction& function) { return function.name == name; });
    return found == std::end(kFunctions) ? nullptr : found;
}

}  // namespace

bool isJoinName(std::string_view function) {
    return findFunction(function) != nullptr;
}

std::optional<JoinKind> narrowedJoin(std::string_view function) {
    const NarrowedFunction* found = findFunction(function);
    CHECK(found != nullptr) << "only joins narrow their sides";
    return found->narrowed;
}

std::string joinedName(const std::string& column, const std::string& rightName, bool isTaken) {
    return isTaken ? (rightName.empty() ? "right" : rightName) + "_" + column : column;
}

}  // namespace pelorus
