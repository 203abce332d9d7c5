#include "interpreter/expression/expression_program.h"

#include <utility>

#include "common/check.h"
#include "common/error.h"
#include "interpreter/bytecode/closure.h"
#include "interpreter/compiler/compiler.h"
#include "interpreter/expression/batch_program.h"
#include "interpreter/vm/vm.h"

namespace pelorus {

static std::shared_ptr<const BatchProgram> programOf(const BoundRef& expression) {
    try {
        return std::make_shared<const BatchProgram>(expression, expression->whole->columns);
    } catch (const UserError&) {
        return nullptr;  // the conversion does not exist: the call reports the position
    }
}

ExpressionProgram::ExpressionProgram(BoundRef expression, Context& context) : expression_(std::move(expression)) {
    CHECK(expression_->whole) << "a whole expression knows what it was bound from";
    if (plainColumn() >= 0) return;
    if (isElementwise()) program_ = programOf(expression_);
    if (!program_) closure_ = compiled(context);
}

bool ExpressionProgram::isCheap() const {
    return program_ && program_->isCheap();
}

Ref<Function> ExpressionProgram::compiled(Context& context) const {
    return Ref<Function>(
        compileExpression(expression_->whole->code, expression_->whole->names, context.scope, *context.services));
}

Value ExpressionProgram::called(const Function& closure, std::span<const Value> columnValues, Context& context) const {
    std::vector<Value> arguments(columnValues.begin(), columnValues.end());
    return callFunction(closure, context, arguments);
}

Value ExpressionProgram::evaluate(Context& context, std::span<const Value> columnValues, int64_t rows) const {
    if (plainColumn() >= 0) return columnValues[0];
    if (!program_) {
        const Value given = called(*closure_, columnValues, context);
        return isElementwise() ? valuesFor(given, expression_->type, rows) : given;
    }
    try {
        return program_->run(context, columnValues, rows);
    } catch (const Error&) {
        context.checkCancelled();
        // The interpreter reports the error with its position in the source; unless && or || skip it.
        const Value given = called(*compiled(context), columnValues, context);
        if (!given.isScalar() && (!given.isTypedVector() || given.size() != rows)) throw;
        return valuesFor(given, expression_->type, rows);
    }
}

Value ExpressionProgram::evaluate(Context& context, const MemoryTable& table) const {
    std::vector<Value> values;
    for (const int c : columns()) values.push_back(table.column(c));
    return evaluate(context, values, table.rowCount());
}

}  // namespace pelorus
