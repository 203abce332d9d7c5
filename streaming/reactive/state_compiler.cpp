#include "streaming/reactive/state_compiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "interpreter/bytecode/closure.h"
#include "interpreter/bytecode/compiled_function.h"
#include "interpreter/bytecode/effects.h"
#include "interpreter/session/stored_function.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"
#include "runtime/registry/registry.h"
#include "runtime/registry/time_reach.h"
#include "runtime/table/column_lookup.h"
#include "runtime/value/print.h"
#include "sql/expression/bind_expression.h"
#include "sql/expression/called_functions.h"
#include "sql/expression/constants.h"
#include "streaming/reactive/row_probe.h"

namespace pelorus {

namespace {

bool isAggregateCall(const BuiltinFunction& function, size_t arguments) {
    const Declaration& d = function.declaration();
    const bool isElementwise = d.elementwiseFrom >= 0 && arguments >= static_cast<size_t>(d.elementwiseFrom);
    return function.signature().aggregate && !isElementwise;
}

// Returns whether a function of a script calls one that reads other rows.
bool looksAtRows(const CompiledFunction& code) {
    return std::any_of(code.constants.begin(), code.constants.end(), [](const Value& constant) {
        return constant.isFunction() && constant.function().signature().orderSensitive;
    });
}

// Returns whether the last rows of these arguments can be kept: a window in time needs a column of times.
bool canKeep(int64_t reach, const std::vector<StepArgument>& arguments) {
    if (!isReachInTime(reach)) return reach >= 0;
    const StepArgument& times = arguments[static_cast<size_t>(timeReachOf(reach).times)];
    return times.columns.size() == 1 && !times.isTuple;
}

Ref<Function> asConstantFunction(const NodeRef& node) {
    if (node->kind != NodeKind::Constant) return {};
    const Value& value = static_cast<const Constant&>(*node).value;
    return value.isFunction() ? Ref<Function>(&value.function()) : Ref<Function>();
}

}  // namespace

StateCompiler::StateCompiler(TableSchema input, Context& context)
    : context_(context), columns_(std::move(input)), sources_(columns_.size()) {
    for (const ColumnSchema& column : columns_) probe_.push_back(filledColumn(column.type, column.scale, 0));
}

std::vector<int> StateCompiler::add(const NodeRef& metric) {
    const NodeRef node = metric->kind == NodeKind::Alias ? static_cast<const Alias&>(*metric).value : metric;
    try {
        const NodeRef result = lowered(node);
        if (result->kind != NodeKind::TupleLiteral && result->kind != NodeKind::ListLiteral) return {columnOf(result)};
        const bool isTuple = result->kind == NodeKind::TupleLiteral;
        const NodeList& items =
            isTuple ? static_cast<const TupleLiteral&>(*result).items : static_cast<const ListLiteral&>(*result).items;
        std::vector<int> columns;
        for (const NodeRef& item : items) columns.push_back(columnOf(item));
        return columns;
    } catch (const UserError& error) {
        throw UserError(fmt::format("The metric {} can't be computed: {}", toSource(*node), error.what()),
                        error.hint());
    }
}

NodeRef StateCompiler::lowered(const NodeRef& node) {
    return rewrite(node, [&](const NodeRef& n) -> NodeRef {
        switch (n->kind) {
            case NodeKind::Name:
                return loweredName(static_cast<const Name&>(*n));
            case NodeKind::Call:
                return loweredCall(static_cast<const Call&>(*n));
            case NodeKind::Index:
                return loweredIndex(static_cast<const Index&>(*n));
            case NodeKind::Query:
                throw UserError("a query is no part of a metric.");
            default:
                return NodeRef();
        }
    });
}

NodeRef StateCompiler::loweredName(const Name& name) {
    if (!frames_.empty() && !name.functionOnly) {
        const Frame& frame = frames_.back();
        if (const auto known = frame.variables.find(name.name); known != frame.variables.end()) return known->second;
    }
    if (findColumn(columns_, name.name) >= 0) return {};
    const BuiltinFunction* function = FunctionRegistry::instance().find(name.name);
    if (function && function->signature().orderSensitive)
        throw UserError(fmt::format("{} looks at other rows, and is called by another function.", name.name),
                        "Call it by itself, or within a function marked @state.");
    return {};
}

Ref<Function> StateCompiler::functionOf(const Call& call) {
    if (!frames_.empty() && call.callee->kind == NodeKind::Name) {
        const std::string& name = static_cast<const Name&>(*call.callee).name;
        const Frame& frame = frames_.back();
        if (const auto known = frame.variables.find(name); known != frame.variables.end()) {
            if (Ref<Function> function = asConstantFunction(known->second)) return function;
        }
        for (const auto& [known, function] : frame.closure->code().references) {
            if (known == name) return function;
        }
    }
    return calledFunction(call, context_);
}

NodeRef StateCompiler::loweredCall(const Call& call) {
    if (call.callee->kind == NodeKind::Partial) {
        // f{, 10}(x): the open places are filled in order.
        const auto& partial = static_cast<const Partial&>(*call.callee);
        std::vector<Argument> arguments = partial.arguments;
        size_t next = 0;
        for (Argument& argument : arguments) {
            if (argument.value->kind == NodeKind::Omitted && next < call.arguments.size())
                argument = call.arguments[next++];
        }
        arguments.insert(arguments.end(), call.arguments.begin() + static_cast<ptrdiff_t>(next), call.arguments.end());
        return loweredCall(*makeRef<Call>(partial.callee, std::move(arguments), Call::Style::Function, call.position));
    }
    const Ref<Function> function = functionOf(call);
    if (!function) return {};
    if (const Closure* closure = closureOf(*function)) return inlined(*closure, call);
    const auto* builtin = dynamic_cast<const BuiltinFunction*>(function.get());
    if (!builtin) return {};
    Value constant;
    if (frames_.empty() && isConstant(NodeRef(const_cast<Call*>(&call)), constant) && !constant.isFunction())
        return makeRef<Constant>(std::move(constant), call.position);
    if (builtin->signature().orderSensitive || builtin->declaration().rolling) {
        if (NodeRef result = stateCall(*builtin, call)) return result;
    }
    if (isAggregateCall(*builtin, call.arguments.size()))
        throw UserError(fmt::format("{} is an aggregate, which has no value for a row. RefId: S03005", builtin->name()),
                        "A function of the rows so far or of the last ones has, such as cumsum or msum.");
    if (builtin->declaration().effect >= Effect::Writes && builtin->signature().mutatesFirst)
        throw UserError(fmt::format("{} changes something, which a metric must not.", builtin->name()));
    // The function by itself: in the body of another one its name may mean something else here.
    std::vector<Argument> arguments = call.arguments;
    for (Argument& argument : arguments) {
        if (argument.value->kind != NodeKind::Omitted) argument.value = lowered(argument.value);
    }
    return makeRef<Call>(call.callee, std::move(arguments), call.style, call.position);
}

// f(x)[1] of a function with several results.
NodeRef StateCompiler::loweredIndex(const Index& index) {
    const NodeRef object = lowered(index.object);
    Value at;
    if (object->kind == NodeKind::TupleLiteral && index.indices.size() == 1 &&
        isConstant(lowered(index.indices[0]), at)) {
        const NodeList& items = static_cast<const TupleLiteral&>(*object).items;
        if (!at.isScalar() || !at.isNumber() || at.asLong() < 0 || at.asLong() >= std::ssize(items))
            throw UserError(fmt::format("there is no result {} of {}.", itemString(at), items.size()));
        return items[static_cast<size_t>(at.asLong())];
    }
    NodeList indices;
    for (const NodeRef& i : index.indices) indices.push_back(lowered(i));
    return makeRef<Index>(object, std::move(indices), index.position);
}

// Returns the arguments of a call by position, as columns and constants; null where one was left out.
NodeList StateCompiler::loweredArguments(const BuiltinFunction& function, const Call& call) {
    const std::vector<Parameter>& parameters = function.signature().parameters;
    NodeList given(function.signature().variadic ? call.arguments.size() : parameters.size());
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& argument = call.arguments[i];
        size_t at = i;
        for (size_t p = 0; !argument.keyword.empty() && p < parameters.size(); ++p) {
            if (parameters[p].name == argument.keyword) at = p;
        }
        if (at >= given.size()) throw UserError(fmt::format("{} takes fewer arguments.", function.name()));
        if (argument.value->kind == NodeKind::Omitted) continue;
        // A function as an argument, such as that of moving or talib, is called by this one.
        Value value;
        given[at] = isConstant(argument.value, value) && value.isFunction()
                        ? NodeRef(makeRef<Constant>(value, argument.value->position))
                        : lowered(argument.value);
    }
    return given;
}

NodeRef StateCompiler::stateCall(const BuiltinFunction& function, const Call& call) {
    StateCall parts;
    std::vector<std::string> texts;
    std::vector<Argument> written;
    for (const NodeRef& node : loweredArguments(function, call)) {
        StepArgument argument;
        if (node) {
            argument = argumentOf(node);
            texts.push_back(toSource(*node));
            written.push_back({"", asWritten(node)});
        } else {
            argument.constant = omitted();
            texts.emplace_back();
            written.push_back({"", makeRef<Omitted>(call.position)});
        }
        const bool isColumn = !argument.columns.empty();
        parts.types.push_back(isColumn && !argument.isTuple ? columns_[static_cast<size_t>(argument.columns[0])].type
                                                            : argument.constant.type());
        parts.constants.push_back(isColumn || isOmitted(argument.constant) ? Value() : argument.constant);
        parts.arguments.push_back(std::move(argument));
    }
    while (!texts.empty() && texts.back().empty()) texts.pop_back();
    written.resize(texts.size());
    const std::string key = fmt::format("{}({})", function.name(), fmt::join(texts, ", "));
    if (const auto known = known_.find(key); known != known_.end()) return namesOf(known->second, call.position);
    const NodeRef source = makeRef<Call>(makeRef<Name>(std::string(function.name()), call.position), std::move(written),
                                         Call::Style::Function, call.position);
    parts.text = toSource(*source);
    std::unique_ptr<StateStep> step = stepOf(function, std::move(parts));
    if (!step) return {};
    known_.emplace(key, addStep(std::move(step), source));
    return namesOf(known_.at(key), call.position);
}

// Returns null for a function that does not look back with these arguments. Throws UserError for one that can't go on.
std::unique_ptr<StateStep> StateCompiler::stepOf(const BuiltinFunction& function, StateCall call) {
    const Declaration& d = function.declaration();
    if (std::unique_ptr<RollingStates> states = d.rolling ? d.rolling(call.types, call.constants) : nullptr) {
        if (!states->asCalling())
            return makeRollingStep(std::move(states), std::move(call.arguments), std::move(call.text));
        const auto make = [rolling = d.rolling, types = call.types, constants = call.constants] {
            return rolling(types, constants);
        };
        return makeCallingStep(make, std::move(call.arguments), std::move(call.text));
    }
    if (const int64_t reach = d.reach ? d.reach(call.constants) : -1; canKeep(reach, call.arguments)) {
        return makeKeptStep(Ref<Function>(const_cast<BuiltinFunction*>(&function)), reach, std::move(call.arguments),
                            std::move(call.text));
    }
    if (!function.signature().orderSensitive) return nullptr;
    throw UserError(fmt::format("{} can't go on row by row with these arguments.", call.text),
                    "It looks at rows that are yet to come or at all rows, or its window is no constant.");
}

// Returns the column of a result, or a tuple of those of several.
NodeRef StateCompiler::namesOf(const std::vector<int>& results, SourcePosition position) const {
    if (results.size() == 1) return nameOf(results[0], position);
    NodeList names;
    for (const int column : results) names.push_back(nameOf(column, position));
    return makeRef<TupleLiteral>(std::move(names), position);
}

NodeRef StateCompiler::inlined(const Closure& closure, const Call& call) {
    const CompiledFunction& code = closure.code();
    const bool isState = code.body.isState;
    if (!isState && looksAtRows(code))
        throw UserError(fmt::format("{} calls functions that look at other rows.", code.body.name),
                        "Mark it with @state.");
    if (!isState) {
        // A function of the rows that it is given: called as it is, whatever its name means elsewhere.
        std::vector<Argument> arguments = call.arguments;
        for (Argument& argument : arguments) {
            if (argument.value->kind != NodeKind::Omitted) argument.value = lowered(argument.value);
        }
        const Ref<Function> function(const_cast<Closure*>(&closure));
        return makeRef<Call>(makeRef<Constant>(Value::of(function), call.position), std::move(arguments),
                             Call::Style::Function, call.position);
    }
    if (frames_.size() == kMaxDepth) throw UserError(fmt::format("{} calls itself too often.", code.body.name));
    Frame frame{&closure, {}};
    for (size_t i = 0; i < code.captureNames.size(); ++i)
        frame.variables[code.captureNames[i]] = makeRef<Constant>(closure.captures()[i], call.position);
    const std::vector<Parameter>& parameters = code.signature.parameters;
    for (const Parameter& parameter : parameters) {
        if (parameter.optional && !isOmitted(parameter.defaultValue))
            frame.variables[parameter.name] = makeRef<Constant>(parameter.defaultValue, call.position);
    }
    for (size_t i = 0; i < call.arguments.size(); ++i) {
        const Argument& argument = call.arguments[i];
        if (argument.value->kind == NodeKind::Omitted) continue;
        if (argument.keyword.empty() && i >= parameters.size())
            throw UserError(fmt::format("{} takes {} arguments.", code.body.name, parameters.size()));
        Value value;
        NodeRef node = isConstant(argument.value, value) && value.isFunction()
                           ? NodeRef(makeRef<Constant>(value, argument.value->position))
                           : lowered(argument.value);
        frame.variables[argument.keyword.empty() ? parameters[i].name : argument.keyword] = std::move(node);
    }
    for (const Parameter& parameter : parameters) {
        if (!frame.variables.contains(parameter.name))
            throw UserError(fmt::format("the argument {} of {} is missing.", parameter.name, code.body.name));
    }
    frames_.push_back(std::move(frame));
    NodeRef result;
    if (code.body.body->kind == NodeKind::Block) {
        run(code.body.body, result);
    } else {
        result = lowered(code.body.body);
    }
    frames_.pop_back();
    if (!result) throw UserError(fmt::format("{} returns nothing.", code.body.name));
    return result;
}

void StateCompiler::run(const NodeRef& statement, NodeRef& result) {
    switch (statement->kind) {
        case NodeKind::Block:
            for (const NodeRef& part : static_cast<const Block&>(*statement).statements) {
                if (!result) run(part, result);
            }
            return;
        case NodeKind::Assign:
            return assign(static_cast<const Assign&>(*statement));
        case NodeKind::Return: {
            const NodeRef& value = static_cast<const Return&>(*statement).value;
            if (value) result = lowered(value);
            return;
        }
        case NodeKind::If:
            return choose(static_cast<const If&>(*statement), result);
        case NodeKind::For:
            return repeat(static_cast<const For&>(*statement), result);
        default:
            throw UserError(
                fmt::format("{} holds a statement that can't go on row by row.", frames_.back().closure->name()),
                "A function marked @state has assignments, if and for over constants, and return.");
    }
}

void StateCompiler::assign(const Assign& statement) {
    NodeRef value = lowered(statement.value);
    const auto isPlain = [](const NodeRef& node) {
        return node->kind == NodeKind::Name || node->kind == NodeKind::Constant || node->kind == NodeKind::TupleLiteral;
    };
    const auto keep = [&](const NodeRef& target, NodeRef node) {
        if (target->kind != NodeKind::Name) throw UserError("only variables can be assigned to.");
        const std::string& name = static_cast<const Name&>(*target).name;
        if (statement.compound) {
            const auto before = frames_.back().variables.find(name);
            if (before == frames_.back().variables.end()) throw UserError(fmt::format("{} has no value yet.", name));
            node = makeRef<Binary>(statement.op, before->second, std::move(node), statement.position);
        }
        Value constant;
        if (isConstant(node, constant)) {
            node = makeRef<Constant>(std::move(constant), statement.position);
        } else if (!isPlain(node)) {
            node = nameOf(columnOf(node), statement.position);
        }
        frames_.back().variables[name] = std::move(node);
    };
    if (statement.targets.size() == 1) return keep(statement.targets[0], std::move(value));
    if (!isPlain(value)) {
        value = namesOf(columnsOf(value), statement.position);
    }
    if (value->kind != NodeKind::TupleLiteral ||
        static_cast<const TupleLiteral&>(*value).items.size() != statement.targets.size())
        throw UserError(fmt::format("{} variables need as many results.", statement.targets.size()));
    const NodeList items = static_cast<const TupleLiteral&>(*value).items;
    for (size_t i = 0; i < items.size(); ++i) keep(statement.targets[i], items[i]);
}

void StateCompiler::choose(const If& statement, NodeRef& result) {
    Value condition;
    if (!isConstant(lowered(statement.condition), condition) || !condition.isScalar() || condition.isNull())
        throw UserError("the condition of an if depends on rows.", "Use iif for values of rows.");
    if (condition.asLong() != 0) return run(statement.then, result);
    if (statement.otherwise) run(statement.otherwise, result);
}

void StateCompiler::repeat(const For& statement, NodeRef& result) {
    Value range;
    const bool isKnown = isConstant(lowered(statement.range), range) && statement.variables.size() == 1;
    if (!isKnown || !range.isVector() || range.size() > kMaxRounds)
        throw UserError(fmt::format("a for loop must go over a constant vector of at most {} elements.", kMaxRounds));
    for (int64_t i = 0; i < range.size() && !result; ++i) {
        frames_.back().variables[statement.variables[0]] = makeRef<Constant>(range.at(i), statement.position);
        run(statement.body, result);
    }
}

bool StateCompiler::isConstant(const NodeRef& node, Value& value) {
    if (node->kind == NodeKind::Name && !frames_.empty()) {
        const auto known = frames_.back().variables.find(static_cast<const Name&>(*node).name);
        if (known != frames_.back().variables.end())
            return known->second->kind == NodeKind::Constant &&
                   constantValue(*known->second, columns_, context_, value);
    }
    return constantValue(*node, columns_, context_, value);
}

StepArgument StateCompiler::argumentOf(const NodeRef& node) {
    StepArgument argument;
    if (isConstant(node, argument.constant)) return argument;
    const bool isTuple = node->kind == NodeKind::TupleLiteral || node->kind == NodeKind::ListLiteral;
    if (!isTuple) {
        argument.columns = {columnOf(node)};
        return argument;
    }
    argument.isTuple = true;
    const NodeList& items = node->kind == NodeKind::TupleLiteral ? static_cast<const TupleLiteral&>(*node).items
                                                                 : static_cast<const ListLiteral&>(*node).items;
    for (const NodeRef& item : items) argument.columns.push_back(columnOf(item));
    return argument;
}

NodeRef StateCompiler::nameOf(int column, SourcePosition position) const {
    auto name = makeRef<Name>(columns_[static_cast<size_t>(column)].name, position);
    name->columnOnly = true;
    return name;
}

int StateCompiler::columnOf(const NodeRef& node) {
    const std::vector<int> results = columnsOf(node);
    if (results.size() != 1) throw UserError(fmt::format("{} has several results.", toSource(*node)));
    return results[0];
}

std::vector<int> StateCompiler::columnsOf(const NodeRef& node) {
    if (node->kind == NodeKind::Name) {
        const int column = findColumn(columns_, static_cast<const Name&>(*node).name);
        if (column >= 0) return {column};
    }
    const std::string key = toSource(*node);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    const NodeRef source = asWritten(node);
    const std::string text = toSource(*source);
    ExpressionProgram expression = bindProgram(withConstants(node, columns_, context_), columns_, context_);
    const bool isSafe = effectOf(node, context_) < Effect::Writes;
    if (!expression.isElementwise() && isSafe && mixesRows(expression, columns_, context_)) {
        const NodeRef byRow = readsArrays(*node) ? calledForEachRow(*node) : NodeRef();
        if (byRow) return columnsOf(byRow);
        throw UserError(fmt::format("{} gives a row what other rows decide.", text),
                        "A metric has the rows of an append, not all rows: use a function of the rows so far.");
    }
    std::vector<int> results;
    try {
        results = addStep(makeExpressionStep(std::move(expression), text), source);
    } catch (const UserError&) {
        // What fails for columns may be meant for the values of one row, as an if over them.
        const NodeRef byRow = calledForEachRow(*node);
        if (!byRow) throw;
        results = columnsOf(byRow);
    }
    known_.emplace(key, results);
    return results;
}

bool StateCompiler::readsArrays(const Node& node) const {
    if (node.kind != NodeKind::Call) return false;
    const std::vector<Argument>& arguments = static_cast<const Call&>(node).arguments;
    return std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
        if (argument.value->kind != NodeKind::Name) return false;
        const int column = findColumn(columns_, static_cast<const Name&>(*argument.value).name);
        return column >= 0 && isArrayType(columns_[static_cast<size_t>(column)].type);
    });
}

NodeRef StateCompiler::calledForEachRow(const Node& node) const {
    if (node.kind != NodeKind::Call) return {};
    const auto& call = static_cast<const Call&>(node);
    const Ref<Function> function = asConstantFunction(call.callee);
    if (!function || !closureOf(*function)) return {};
    const Ref<Function> each(const_cast<BuiltinFunction*>(&FunctionRegistry::instance().get("each")));
    std::vector<Argument> arguments{{"", call.callee}};
    arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
    return makeRef<Call>(makeRef<Constant>(Value::of(each), call.position), std::move(arguments), Call::Style::Function,
                         call.position);
}

NodeRef StateCompiler::asWritten(const NodeRef& node) const {
    return rewrite(node, [&](const NodeRef& n) -> NodeRef {
        if (n->kind != NodeKind::Name) return {};
        const int column = findColumn(columns_, static_cast<const Name&>(*n).name);
        return column >= 0 ? sources_[static_cast<size_t>(column)] : NodeRef();
    });
}

std::vector<int> StateCompiler::addStep(std::unique_ptr<StateStep> step, const NodeRef& source) {
    if (steps_.size() == kMaxSteps) throw UserError("the metrics have too many parts.");
    step->run(context_, probe_, nullptr, 0);
    std::vector<int> results;
    for (size_t c = columns_.size(); c < probe_.size(); ++c) {
        const Value& column = probe_[c];
        if (columnType(column) == Type::Void) throw UserError(fmt::format("{} has no type.", step->describe()));
        columns_.push_back({fmt::format(" {}", c), columnType(column), column.extra(), ""});
        results.push_back(static_cast<int>(c));
    }
    for (size_t i = 0; i < results.size(); ++i) {
        const NodeRef part = makeRef<Constant>(Value::ofInt(static_cast<int32_t>(i)), source->position);
        sources_.push_back(results.size() == 1 ? source
                                               : NodeRef(makeRef<Index>(source, NodeList{part}, source->position)));
    }
    steps_.push_back(std::move(step));
    return results;
}

}  // namespace pelorus
