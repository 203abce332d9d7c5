#include "interpreter/bytecode/closure.h"

#include <fmt/format.h>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/parser/parser.h"
#include "interpreter/vm/vm.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

bool changesArgument(const Function& f, size_t index) {
    const Signature& s = f.signature();
    if (index == 0 && s.mutatesFirst) return true;
    return index < s.parameters.size() && s.parameters[index].isMutable;
}

Value Closure::call(Context& context, std::span<Value> arguments) const {
    return callFunction(*this, context, arguments);
}

bool Closure::callOnElements(Context& context, std::span<const Value> arguments, int64_t count, Value& results) const {
    return code_->hot.callOnElements(*this, arguments, count, context, results);
}

std::string Closure::describe() const {
    if (!name().empty()) return std::string(name());
    if (captures_.empty()) return code_->body.source;
    requireStackRoom();
    // Captured values are shown as arguments that are already fixed.
    std::string parameters, values;
    for (size_t i = 0; i < captures_.size(); ++i) {
        parameters += (i > 0 ? ", " : "") + code_->captureNames[i];
        values += (i > 0 ? ", " : "") + itemString(captures_[i]);
    }
    for (const ParameterNode& p : code_->body.parameters) parameters += ", " + p.name;
    const bool block = code_->body.body->kind == NodeKind::Block;
    return fmt::format("{{def ({}){}{}}}{{{}}}", parameters, block ? " " : "->", toSource(*code_->body.body), values);
}

// Source, capture names and values, and the user functions it calls: what compiles to the same function elsewhere.
Value Closure::save() const {
    auto references = makeRef<Dictionary>(Type::String, Type::Any, true);
    for (const auto& [name, function] : code_->references) references->set(Value::ofString(name), Value::of(function));
    return Value::of(makeRef<Tuple>(std::vector<Value>{Value::ofString(name()), Value::ofString(code_->body.source),
                                                       Value::of(Vector::ofStrings(code_->captureNames)),
                                                       Value::of(makeRef<Tuple>(captures_)), Value::of(references)}));
}

Value FunctionCell::call(Context& context, std::span<Value> arguments) const {
    if (!target) throw UserError(fmt::format("The function {} is declared, but not defined. RefId: S06007", name_));
    return callFunction(*target, context, arguments);
}

Value FunctionCell::save() const {
    if (!target) throw UserError(fmt::format("The function {} is declared, but not defined. RefId: S06007", name_));
    return target->save();
}

// Keeps the cell of a recursive function that came from elsewhere from outliving it: the closure owns the cell's target
// weakly through this holder's lifetime, which is the process's.
static Ref<Portable> loadClosure(const Value& saved) {
    const std::vector<Value>& parts = savedParts(saved, 5);
    if (!parts[1].isString() || !parts[2].isVector() || !isLiteral(parts[2].type()) || !parts[3].isTuple() ||
        !parts[4].isDictionary()) {
        throw UserError("A function arrived in another shape.");
    }
    std::unordered_map<std::string, Ref<Function>> known;
    const Dictionary& references = parts.at(4).dictionary();
    for (int64_t i = 0; i < references.size(); ++i) {
        if (!references.keyAt(i).isString() || !references.valueAt(i).isFunction()) {
            throw UserError("A function arrived in another shape.");
        }
        known[std::string(references.keyAt(i).string())] = Ref<Function>(&references.valueAt(i).function());
    }
    std::vector<std::string> captures;
    for (int64_t i = 0; i < parts.at(2).size(); ++i) captures.emplace_back(parts[2].vector().string(i));
    NodeList nodes = parseScript(parts.at(1).string());
    FunctionBody body;
    if (nodes.size() == 1 && nodes[0]->kind == NodeKind::FunctionDefinition) {
        body = static_cast<const FunctionDefinition&>(*nodes[0]).function;
    } else if (nodes.size() == 1 && nodes[0]->kind == NodeKind::ExpressionStatement) {
        const NodeRef& e = static_cast<const ExpressionStatement&>(*nodes[0]).expression;
        if (e->kind == NodeKind::Lambda) body = static_cast<const Lambda&>(*e).function;
    }
    if (!body.body) throw UserError("A function that arrived from another node cannot be read.");
    static const Services none;
    Ref<CompiledFunction> code = compileFunction(body, captures, known, none);
    return makeRef<Closure>(code, parts.at(3).tuple().elements);
}

[[maybe_unused]] static const bool registered = (registerPortable("closure", loadClosure), true);

}  // namespace pelorus
