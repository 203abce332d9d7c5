// x in ($1, $2, …): SelectTranslator's part that makes one vector of the parameters, so that a list of any length is
// one search.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "postgres/functions/conversions.h"
#include "postgres/parse/tree.h"
#include "postgres/translate/operator_calls.h"
#include "postgres/translate/select_translator.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

namespace {

// An item of the list: the value of a name, or a constant.
struct ListItem {
    std::string name;
    Value constant;
};

// Adds a value, unless no value of the type is equal to it.
void addItem(Vector& list, const Value& value, Type kept) {
    if (value.isNull()) return;
    if (list.type() == Type::String) return list.append(value);
    if (!isIntegral(kept)) return list.append(value);
    const int64_t most = kept == Type::Short ? INT16_MAX : kept == Type::Int ? INT32_MAX : INT64_MAX;
    const int64_t number = value.asLong();
    if (number >= -most && number <= most) list.append(Value::scalar(kept, number));
}

}  // namespace

NodeRef SelectTranslator::searchInParameters(const nlohmann::json& items, const Typed& x) {
    const bool isNumber =
        isIntegerType(x.type) && (x.kept == Type::Short || x.kept == Type::Int || x.kept == Type::Long);
    const bool isText = isTextType(x.type) && (x.kept == Type::String || x.kept == Type::Symbol);
    if (!isNumber && !isText && x.kept != Type::Date && x.kept != Type::NanoTimestamp) return {};
    std::vector<ListItem> list;
    for (const nlohmann::json& item : items) {
        const Comparison comparison =
            resolveComparison("=", x, value(item), placeOf(bodyOf(item)), translation_.host());
        if (kindOf(item) != "ParamRef") {
            const auto& constant = comparison.right.constant;
            const bool isAlike = constant && (constant->type() == x.kept || (isText && constant->isString()));
            if (!isAlike) return {};
            list.push_back({"", *constant});
            continue;
        }
        const int number = static_cast<int>(numberOf(bodyOf(item), "number"));
        const Oid type = translation_.parameter(number, -1).type;
        const OidFacts* facts = oidFacts(type);
        const bool isAlike = (isNumber && isIntegerType(type)) || (isText && isTextType(type)) ||
                             (!isNumber && !isText && facts != nullptr && facts->kept == x.kept);
        if (!isAlike) return {};
        list.push_back({parameterName(number), {}});
    }
    const std::string step = translation_.freshName("pgList");
    const Type kept = isText ? Type::String : x.kept;
    steps_.push_back({step,
                      {},
                      [list = std::move(list), kept](const StepScope& scope, Context&) {
                          Ref<Vector> values = Vector::make(kept, 0);
                          for (const ListItem& item : list)
                              addItem(*values, item.name.empty() ? item.constant : scope.get(item.name), kept);
                          return Value::of(values);
                      },
                      "a list of parameters"});
    return binaryNode(Operator::In, x.code, nameNode(step));
}

}  // namespace pelorus::postgres
