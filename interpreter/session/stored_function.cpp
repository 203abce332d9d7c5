#include "interpreter/session/stored_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"

namespace pelorus {
namespace {

// Functions that one stored function brings with it, counted as often as they are called: bounds what is stored.
constexpr int kMaxFunctions = 1000;

void requireTree(const Closure& closure, std::vector<const Closure*>& callers, int& count) {
    if (++count > kMaxFunctions)
        throw UserError(fmt::format("The function {} calls too many others to be kept.", closure.name()));
    if (std::find(callers.begin(), callers.end(), &closure) != callers.end()) {
        throw UserError(
            fmt::format("The function {} cannot be kept: it and another one call each other.", closure.name()),
            "Write them as one function, which may call itself.");
    }
    callers.push_back(&closure);
    for (const auto& [name, function] : closure.code().references) {
        if (const Closure* called = closureOf(*function)) requireTree(*called, callers, count);
    }
    callers.pop_back();
}

}  // namespace

const Closure* closureOf(const Function& function) {
    const Function* found = &function;
    if (function.kind() == Function::Kind::Cell) found = static_cast<const FunctionCell&>(function).target.get();
    return found && found->kind() == Function::Kind::Closure ? static_cast<const Closure*>(found) : nullptr;
}

void requireStorable(const Closure& closure) {
    int count = 0;
    std::vector<const Closure*> callers;
    requireTree(closure, callers, count);
}

StoredFunction::StoredFunction(Ref<Function> function) : function_(std::move(function)) {
    const Ref<Function>* inner = &function_;
    while (const auto* partial = dynamic_cast<const PartialFunction*>(inner->get())) inner = &partial->function();
    if ((*inner)->kind() == Function::Kind::Closure) complete(static_cast<const Closure&>(**inner), *inner);
}

StoredFunction::~StoredFunction() {
    for (const Ref<FunctionCell>& cell : cells_) cell->target = Ref<Function>();
}

// A function that calls itself was compiled with a cell in the place of itself.
void StoredFunction::complete(const Closure& closure, const Ref<Function>& itself) {
    for (const Value& constant : closure.code().constants) {
        if (!constant.isFunction()) continue;
        Function& function = constant.function();
        if (function.kind() == Function::Kind::Cell) {
            auto& cell = static_cast<FunctionCell&>(function);
            if (cell.target || cell.name() != itself->name()) continue;
            cell.target = itself;
            cells_.emplace_back(&cell);
        } else if (function.kind() == Function::Kind::Closure && function.name().empty()) {
            complete(static_cast<const Closure&>(function), itself);
        }
    }
    for (const auto& [name, function] : closure.code().references) {
        const Closure* called = closureOf(*function);
        if (called && called != &closure) complete(*called, function);
    }
}

}  // namespace pelorus
