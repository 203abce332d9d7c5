#include "streaming/builtins/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "common/error.h"
#include "interpreter/session/shared_objects.h"
#include "runtime/function/function.h"
#include "runtime/stream/stream_log.h"
#include "runtime/table/table_access.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

[[noreturn]] void refuse(size_t i, std::string_view name, std::string_view what, const Value& given) {
    throw UserError(static_cast<int>(i),
                    fmt::format("{} must be {}, but it is {}.", name, what,
                                given.isScalar() && !given.isVoid() ? itemString(given) : typeString(given)));
}

}  // namespace

bool isGiven(Arguments arguments, size_t i) {
    return i < arguments.size() && !isOmitted(arguments[i]) && !arguments[i].isVoid();
}

std::string textGiven(Arguments arguments, size_t i, std::string_view name, std::string_view otherwise) {
    if (!isGiven(arguments, i)) return std::string(otherwise);
    if (!arguments[i].isString()) refuse(i, name, "a string", arguments[i]);
    return std::string(arguments[i].string());
}

std::string identifierGiven(Arguments arguments, size_t i, std::string_view name) {
    const std::string text = textGiven(arguments, i, name);
    const auto isPart = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    if (!text.empty() &&
        (!std::isalpha(static_cast<unsigned char>(text[0])) || !std::all_of(text.begin(), text.end(), isPart)))
        refuse(i, name, "a letter followed by letters, digits and underscores", arguments[i]);
    return text;
}

std::vector<std::string> namesGiven(Arguments arguments, size_t i, std::string_view name) {
    std::vector<std::string> names;
    if (!isGiven(arguments, i)) return names;
    const Value& given = arguments[i];
    const bool areNames = given.isString() || (given.isTypedVector() && isLiteral(given.type()));
    if (!areNames) refuse(i, name, "a name or a vector of names", given);
    if (given.isScalar()) return {std::string(given.string())};
    for (int64_t k = 0; k < given.size(); ++k) names.emplace_back(given.at(k).string());
    return names;
}

bool flagGiven(Arguments arguments, size_t i, std::string_view name, bool otherwise) {
    if (!isGiven(arguments, i)) return otherwise;
    const Value& given = arguments[i];
    const bool isFlag = given.isScalar() && !given.isNull() && (given.type() == Type::Bool || isIntegral(given.type()));
    if (!isFlag) refuse(i, name, "true or false", given);
    return given.asLong() != 0;
}

int64_t integerGiven(Arguments arguments, size_t i, std::string_view name, int64_t otherwise, int64_t least,
                     int64_t most) {
    if (!isGiven(arguments, i)) return otherwise;
    const Value& given = arguments[i];
    const bool isInteger = given.isScalar() && given.isNumber() && isIntegral(given.type()) && !given.isNull();
    if (!isInteger) refuse(i, name, "an integer", given);
    if (given.asLong() < least) refuse(i, name, fmt::format("at least {}", least), given);
    if (given.asLong() > most) refuse(i, name, fmt::format("at most {}", most), given);
    return given.asLong();
}

double realGiven(Arguments arguments, size_t i, std::string_view name, double otherwise) {
    if (!isGiven(arguments, i)) return otherwise;
    const Value& given = arguments[i];
    if (!given.isScalar() || !given.isNumber() || given.isNull()) refuse(i, name, "a number", given);
    return given.asDouble();
}

MemoryTable& streamTableGiven(Arguments arguments, size_t i, std::string_view name) {
    MemoryTable* table = asMemoryTable(arguments[i]);
    if (!table || !table->stream) refuse(i, name, "a stream table", arguments[i]);
    return *table;
}

Ref<MemoryTable> sharedStreamTable(const Context& context, const std::string& name, Right right) {
    Value found;
    const auto* shared = context.service<SharedObjects>();
    if (!shared || !shared->find(name, found, context.principal()) || !found.isTable())
        throw UserError(fmt::format("The shared table {} doesn't exist.", name),
                        "Share a stream table under that name: share(streamTable(…), name).");
    MemoryTable* table = asMemoryTable(found);
    if (!table || !table->stream)
        throw UserError(fmt::format("{} is not a shared stream table. RefId: S03007", name),
                        "Make it with streamTable, and share that.");
    requireAccess(context, found, right);
    return Ref<MemoryTable>(table);
}

}  // namespace pelorus
