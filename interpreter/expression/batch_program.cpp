#include "interpreter/expression/batch_program.h"

#include <algorithm>

#include "common/check.h"
#include "common/error.h"
#include "runtime/value/cast.h"
#include "runtime/value/distinct_symbols.h"
#include "runtime/value/print.h"
#include "runtime/value/symbol_base.h"
#include "runtime/value/vector.h"

namespace pelorus {

using Kind = Bound::Kind;
using Register = BlockProgram::Register;

namespace {

// Returns whether registers of block programs can hold the values of the part.
bool isLane(const Bound& part) {
    return part.type.isKnown && (isNumeric(part.type.type) || isTemporal(part.type.type));
}

bool isConstant(const BoundRef& part) {
    return part->kind == Kind::Constant;
}

// symbol = `IBM compares codes. A string without a code may get one when a block of the column is read from disk, and
// is compared block by block.
bool isSymbolEquality(const Bound& part) {
    if (part.kind != Kind::Operation || (part.op != Operator::Eq && part.op != Operator::Ne)) return false;
    const Bound &a = *part.parts[0], &b = *part.parts[1];
    const auto isSymbol = [](const Bound& x) { return x.kind == Kind::Column && x.type.type == Type::Symbol; };
    const auto isString = [](const Bound& x) {
        return isScalarConstant(x) && x.value.isString() && symbols::find(x.value.string()) >= 0;
    };
    return (isSymbol(a) && isString(b)) || (isString(a) && isSymbol(b));
}

// Returns whether a block program can do it, given its parts.
bool isStep(const Bound& part) {
    if (!isLane(part)) return false;
    const auto isLanePart = [](const BoundRef& p) { return isLane(*p); };
    const auto isCallPart = [](const BoundRef& p) { return isLane(*p) || p->isScalar || isOmitted(p->value); };
    switch (part.kind) {
        case Kind::Operation:
            if (isSymbolEquality(part)) return true;
            return part.op <= Operator::Neg && std::all_of(part.parts.begin(), part.parts.end(), isLanePart);
        case Kind::Select:
            return std::all_of(part.parts.begin(), part.parts.end(), isLanePart);
        case Kind::Call:
            return std::all_of(part.parts.begin(), part.parts.end(), isCallPart);
        default:
            return false;
    }
}

}  // namespace

Value valuesFor(Value given, const ResultType& result, int64_t rows) {
    if (!result.isKnown) return given;
    const Type type = result.type;
    const auto scale = static_cast<uint8_t>(result.scale);
    if (given.isScalar()) given = Value::of(Vector::filled(type, rows, cast(given, type, scale)));
    if (!given.isTypedVector() || given.size() != rows)
        throw InternalError("An expression of " + std::to_string(rows) + " rows gave " + typeString(given));
    return given.type() == type ? given : cast(given, type, scale);
}

// Returns whether the part is a function of one row's values alone, which returns the same whenever it is called.
static bool dependsOnValuesOnly(const Bound& part) {
    if (part.kind == Kind::Operation) return part.op == Operator::Like;
    if (part.kind != Kind::Call || part.function == nullptr) return false;
    const Declaration& declaration = part.function->declaration();
    return declaration.kind == FunctionKind::Elementwise && declaration.effect == Effect::Pure;
}

// Computes a part for the rows of a batch: once for each symbol when it is one of a symbol column and scalars.
static Value computedOfRows(const Bound& part, std::vector<Value> values, int64_t rows, Context& context) {
    const auto isColumn = [](const Value& value) { return !value.isScalar(); };
    const auto column = std::ranges::find_if(values, isColumn);
    const bool isOfOne = column != values.end() && std::none_of(column + 1, values.end(), isColumn);
    if (isOfOne && column->isTypedVector() && column->type() == Type::Symbol && column->size() == rows &&
        part.type.isKnown && dependsOnValuesOnly(part)) {
        if (const auto symbols = distinctSymbols(column->vector())) {
            *column = Value::of(symbols->elements);
            const Value once =
                valuesFor(computed(part, std::move(values), context), part.type, symbols->elements->size());
            return Value::of(once.vector().gather(symbols->positions.data(), rows));
        }
    }
    return valuesFor(computed(part, std::move(values), context), part.type, rows);
}

BatchProgram::BatchProgram(const BoundRef& expression, const std::vector<int>& columns, size_t parameters)
    : parameters_(parameters), result_(lower(expression, columns)), type_(expression->type) {
    lowered_.clear();
}

size_t BatchProgram::scalarOf(const BoundRef& part) {
    if (part->kind == Kind::Parameter) return static_cast<size_t>(part->column);
    if (const auto known = lowered_.find(part.get()); known != lowered_.end()) return known->second.index;
    ScalarStep step{.part = part, .operands = {}};
    for (const BoundRef& p : part->parts) step.operands.push_back(lower(p, {}));
    scalarSteps_.push_back(std::move(step));
    const size_t number = parameters_ + scalarSteps_.size() - 1;
    lowered_[part.get()] = {.source = Operand::Source::Scalar, .index = number, .constant = {}};
    return number;
}

BatchProgram::Operand BatchProgram::lower(const BoundRef& part, const Columns& columns) {
    if (part->kind == Kind::Constant) return {.constant = part->value};
    if (part->isScalar) return {.source = Operand::Source::Scalar, .index = scalarOf(part), .constant = {}};
    if (part->kind == Kind::Column) {
        const auto place = std::find(columns.begin(), columns.end(), part->column) - columns.begin();
        CHECK(place < columns.size()) << "the columns of the expression are among those of its batches";
        return {.source = Operand::Source::Column, .index = static_cast<size_t>(place), .constant = {}};
    }
    if (const auto known = lowered_.find(part.get()); known != lowered_.end()) return known->second;
    Growing growing;
    growing.step.part = part;
    if (isStep(*part)) {
        growing.step.program = std::make_unique<BlockProgram>();
        const Register result = add(growing, part, columns);
        growing.step.program->setResult(growing.step.program->cast(result, part->type.type));
    } else {
        for (const BoundRef& p : part->parts) growing.step.operands.push_back(lower(p, columns));
        const bool isMembership = part->kind == Kind::Operation && part->op == Operator::In;
        if (isMembership && isConstant(part->parts[1]))
            growing.step.among = std::make_unique<Membership>(part->parts[1]->value);
    }
    steps_.push_back(std::move(growing.step));
    return lowered_[part.get()] = {.source = Operand::Source::Step, .index = steps_.size() - 1, .constant = {}};
}

Register BatchProgram::addInput(Growing& to, const BoundRef& part, Type type, const Columns& columns) {
    to.step.operands.push_back(lower(part, columns));
    return to.step.program->input(static_cast<int>(to.step.operands.size()) - 1, type);
}

Register BatchProgram::add(Growing& to, const BoundRef& part, const Columns& columns) {
    if (const auto known = to.registers.find(part.get()); known != to.registers.end()) return known->second;
    BlockProgram& program = *to.step.program;
    Register result;
    if (isConstant(part)) {
        result = program.constant(part->value);
    } else if (part->isScalar) {
        result = program.parameter(static_cast<int>(scalarOf(part)), part->type.type);
    } else if (!isStep(*part)) {
        result = addInput(to, part, part->type.type, columns);
    } else if (part->kind == Kind::Operation) {
        result = addOperation(to, *part, columns);
    } else if (part->kind == Kind::Select) {
        const Register condition = add(to, part->parts[0], columns);
        const Register then = add(to, part->parts[1], columns);
        result = program.select(condition, then, add(to, part->parts[2], columns));
    } else {
        result = addCall(to, *part, columns);
    }
    return to.registers[part.get()] = result;
}

Register BatchProgram::addOperation(Growing& to, const Bound& part, const Columns& columns) {
    BlockProgram& program = *to.step.program;
    if (isSymbolEquality(part)) {
        const bool isTextFirst = isConstant(part.parts[0]);
        const BoundRef &column = part.parts[isTextFirst ? 1 : 0], &text = part.parts[isTextFirst ? 0 : 1];
        const Register codes = addInput(to, column, Type::Int, columns);
        return program.binary(part.op, codes, program.constant(Value::ofInt(symbols::find(text->value.string()))));
    }
    const Register a = add(to, part.parts[0], columns);
    if (part.op == Operator::Neg) return program.negate(a);
    if (part.op == Operator::Not) return program.logicalNot(a);
    return program.binary(part.op, a, add(to, part.parts[1], columns));
}

Register BatchProgram::addCall(Growing& to, const Bound& part, const Columns& columns) {
    BlockProgram& program = *to.step.program;
    if (part.parts.size() == 1 && isLane(*part.parts[0])) {
        Type named;
        const Register a = add(to, part.parts[0], columns);
        // CHAR of a number is a letter's.
        if (typeByName(part.function->name(), named) && named == part.type.type && named != Type::Char)
            return program.cast(a, named);
        switch (part.function->declaration().role) {
            case Role::Absolute:
                return program.absolute(a);
            case Role::IsNull:
                return program.isNull(a);
            case Role::Not:
                return program.logicalNot(a);
            case Role::Hour: {
                if (!isTemporal(part.parts[0]->type.type)) break;  // the function refuses it
                const Register minutes = program.cast(program.cast(a, Type::Minute), Type::Int);
                // A number that is converted to a time of day may belong to another day.
                const Register ofDay = program.binary(Operator::Mod, minutes, program.constant(Value::ofInt(24 * 60)));
                return program.binary(Operator::Div, ofDay, program.constant(Value::ofInt(60)));
            }
            default:
                break;
        }
    }
    std::vector<BlockProgram::CallOperand> operands;
    for (const BoundRef& p : part.parts) {
        BlockProgram::CallOperand operand;
        if (isConstant(p)) {
            operand.constant = p->value;
        } else if (p->isScalar) {
            operand.parameter = static_cast<int>(scalarOf(p));
        } else {
            operand.elements = add(to, p, columns);
        }
        operands.push_back(std::move(operand));
    }
    Ref<Function> function(const_cast<BuiltinFunction*>(part.function));
    return program.call(std::move(function), std::move(operands), part.type.type);
}

Value BatchProgram::run(Context& context, std::span<const Value> columns, int64_t rows,
                        std::span<const Value> parameters) const {
    CHECK(parameters.size() == parameters_) << "scalars are numbered after the program's parameters";
    std::vector<Value> scalars(parameters.begin(), parameters.end());
    std::vector<Value> results;
    results.reserve(steps_.size());
    const auto at = [&](const Operand& operand) -> const Value& {
        if (operand.source == Operand::Source::Constant) return operand.constant;
        if (operand.source == Operand::Source::Scalar) return scalars[operand.index];
        return operand.source == Operand::Source::Column ? columns[operand.index] : results[operand.index];
    };
    for (const ScalarStep& step : scalarSteps_) {
        std::vector<Value> values;
        for (const Operand& operand : step.operands) values.push_back(at(operand));
        const Value value = computed(*step.part, std::move(values), context);
        const ResultType& told = step.part->type;
        scalars.push_back(value.type() == told.type ? value : cast(value, told.type, static_cast<uint8_t>(told.scale)));
    }
    for (const Step& step : steps_) {
        if (step.program) {
            std::vector<const Vector*> inputs;
            for (const Operand& operand : step.operands) inputs.push_back(&at(operand).vector());
            results.push_back(Value::of(step.program->run(inputs, rows, &context, scalars)));
            continue;
        }
        if (step.among) {
            results.push_back(valuesFor(step.among->of(at(step.operands[0])), step.part->type, rows));
            continue;
        }
        std::vector<Value> values;
        for (const Operand& operand : step.operands) values.push_back(at(operand));
        results.push_back(computedOfRows(*step.part, std::move(values), rows, context));
    }
    if (result_.source != Operand::Source::Constant) return at(result_);
    return valuesFor(result_.constant, type_, rows);
}

}  // namespace pelorus
