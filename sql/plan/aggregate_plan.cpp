#include "sql/plan/aggregate_plan.h"

#include "common/error.h"
#include "runtime/kernel/aggregate/aggregate.h"

namespace pelorus {

Type keyType(const ExpressionProgram& key) {
    if (key.isElementwise()) return key.resultType();
    const bool isLiteral = key.code()->kind == NodeKind::Constant;
    return isLiteral ? static_cast<const Constant&>(*key.code()).value.type() : Type::Any;
}

std::vector<Type> keyTypes(const std::vector<ExpressionProgram>& keys) {
    std::vector<Type> types;
    for (const ExpressionProgram& k : keys) types.push_back(keyType(k));
    return types;
}

static Type argumentType(const ExpressionProgram& e) {
    const Type type = keyType(e);
    return type == Type::Any ? Type::Double : type;
}

std::unique_ptr<GroupedState> AggregatePlan::newState(size_t call) const {
    std::vector<Type> types;
    for (const ExpressionProgram& e : calls[call].arguments) types.push_back(argumentType(e));
    std::unique_ptr<GroupedState> state = calls[call].function->makeState()(types);
    for (size_t i = 0; i < types.size(); ++i) {
        if (isDecimal(types[i])) state->setScale(calls[call].arguments[i].resultScale());
    }
    return state;
}

static ResultType resultOf(const AggregateCall& call) {
    std::vector<TypedArgument> arguments;
    for (const ExpressionProgram& e : call.arguments)
        arguments.push_back({argumentType(e), e.isConstant() ? Form::Scalar : Form::Vector, e.resultScale()});
    try {
        return call.function->declaration().gives(arguments);
    } catch (const UserError&) {
        return {};  // the state reports it
    }
}

TableSchema columnsOfGroups(const std::vector<BoundItem>& keys, const AggregatePlan& plan) {
    TableSchema columns;
    for (const BoundItem& key : keys) columns.push_back({key.names()[0], keyType(key.value), key.value.resultScale()});
    for (const AggregateCall& call : plan.calls) {
        const ResultType result = resultOf(call);
        columns.push_back({call.column, result.isKnown ? result.type : Type::Void, static_cast<uint8_t>(result.scale)});
    }
    return columns;
}

}  // namespace pelorus
