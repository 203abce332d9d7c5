// Instructions of whole statements: they run once for a statement, not for each of its operators.
#include <fmt/format.h>

#include <chrono>

#include "common/error.h"
#include "interpreter/session/classes.h"
#include "interpreter/vm/machine.h"
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/table/table_access.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"

namespace pelorus {

// The condition of assert: every element of a vector is true.
static bool allTrue(const Value& v) {
    if (!v.isTypedVector() && !v.isMatrix()) return isTrue(v);
    const Value cells = v.isMatrix() ? Value::of(v.matrix().cells) : v;
    bool all = cells.size() > 0;
    for (int64_t i = 0; i < cells.size() && all; ++i) all = isTrue(cells.at(i));
    return all;
}

void Machine::statement(const Instruction& i) {
    switch (i.op) {
        case Op::Throw: {
            const Value& v = at(i.a);
            requireAccessWithin(context_, v, Right::Read);
            std::string message = v.isString() ? std::string(v.string()) : v.isPair() ? toString(v.at(1)) : display(v);
            throw located(UserError(message), true);
        }
        case Op::Assert:
            if (!allTrue(at(i.a))) {
                throw UserError(fmt::format("Testing case {} failed", toString(at(i.b))));
            }
            break;
        case Op::TimerStart:
            at(i.a) = Value::ofLong(std::chrono::steady_clock::now().time_since_epoch().count());
            break;
        case Op::TimerStop:
            stopTimer(i);
            break;
        case Op::CountDown: {
            int64_t left = at(i.a).asLong() - 1;
            at(i.a) = Value::ofLong(left);
            context_.checkCancelled();
            if (left > 0) pc_ = i.target();
            break;
        }
        case Op::DefineFunction: {
            Value function = at(i.b);
            session_->setFunction(std::string(function.function().name()), Ref<Function>(&function.function()));
            last_ = Value();
            break;
        }
        case Op::Share:
            shareObject(at(i.a), std::string(at(i.b).string()), context_);
            break;
        case Op::Directive:
            directive(i);
            break;
        case Op::Show:
            last_ = at(i.a);
            if (isInstance(last_) && last_.as<Instance>()->type().method("repr")) {
                last_ = callMethod(last_, "repr", {}, context_);
            }
            if (i.extra == 0 && show_ && *show_) {
                requireAccessWithin(context_, last_, Right::Read);
                (*show_)(last_);
            }
            break;
        default:
            throw InternalError("an instruction that is no statement");
    }
}

void Machine::stopTimer(const Instruction& i) {
    int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
    double millis = static_cast<double>(now - at(i.a).integer()) / 1e6;
    std::string text = fmt::format("{:.3f}", millis);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    if (context_.request->print) context_.request->print("Time elapsed: " + text + " ms");
}

// use catalog name
void Machine::directive(const Instruction& i) {
    std::vector<Value> arguments{at(i.b)};
    FunctionRegistry::instance().get("setDefaultCatalog").call(context_, arguments);
}

}  // namespace pelorus
