#include "stdlib/instruments/each_described.h"

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/vector.h"
#include "stdlib/instruments/description.h"
#include "stdlib/value_parts.h"

namespace pelorus {

Value describedBy(Context& context, const Value& one, size_t argument) {
    if (!one.isString()) return one;
    const BuiltinFunction* parse = FunctionRegistry::instance().find("fromStdJson");
    CHECK(parse) << "JSON is read by fromStdJson";
    const Value parsed = callWith(*parse, context, {one});
    if (!parsed.isDictionary()) throw UserError(static_cast<int>(argument), "The string must be an object of JSON.");
    return parsed;
}

Value mapDescribed(Context& context, const Value& given, const std::function<Value(const Value&)>& f) {
    const bool areSeveral = given.isTuple() || given.isTypedVector();
    if (!areSeveral) return f(given);
    std::vector<Value> results;
    for (int64_t i = 0; i < given.size(); ++i) {
        context.checkCancelled();
        results.push_back(f(given.isTuple() ? given.tuple().elements[static_cast<size_t>(i)] : given.vector().at(i)));
    }
    return Value::of(makeRef<Tuple>(std::move(results)));
}

Value extracted(Context& context, const Value& given, std::string_view what) {
    return mapDescribed(context, given, [&](const Value& one) {
        (void)Description(one, 0, what);
        return Value::of(one.dictionary().copy());
    });
}

}  // namespace pelorus
