// The calls of every function, over values of all types and forms, do what the function declares.
//
// PELORUS_DECLARATION_CALLS sets how many calls with each number of arguments from two on, drawn at random by
// PELORUS_SEED, a function gets (200); PELORUS_ARGUMENT_PAIRS=all adds all pairs of plain arguments.
// PELORUS_DECLARATION_ONLY limits the test to one function.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <set>

#include "runtime/function/principal.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/index/index.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/tensor.h"
#include "tests/unit/process/drawn_calls.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

bool takesEverything(const BuiltinFunction& f, std::span<const Value> arguments) {
    for (size_t i = 0; i < arguments.size() && i < kDeclaredParameters; ++i) {
        if (!f.declaration().takes[i].accepts(arguments[i])) return false;
    }
    return true;
}

std::vector<TypedArgument> typed(const BuiltinFunction& f, std::span<const Value> arguments) {
    std::vector<TypedArgument> types;
    for (const Value& v : arguments) {
        const int32_t scale = isDecimal(elementTypeOf(v.type())) ? v.isScalar() ? v.extra() : v.vector().scale() : 0;
        types.push_back({v.type(), v.form(), scale, &v, !isOmitted(v)});
    }
    while (types.size() < f.signature().parameters.size()) types.push_back({.given = false});
    return types;
}

// Returns the type of the elements of a result, and the scale of decimals; known is false where it has no type.
ResultType typeOf(const Value& v) {
    switch (v.form()) {
        case Form::Scalar:
            return v.type() == Type::Void ? ResultType()
                                          : ResultType::of(v.type(), isDecimal(v.type()) ? v.extra() : 0);
        case Form::Vector:
        case Form::Pair:
            if (v.isTuple()) return {};
            if (v.isArrayVector()) return ResultType::of(elementTypeOf(v.type()), v.arrayVector().scale());
            return ResultType::of(v.type(), isDecimal(v.type()) ? v.vector().scale() : 0);
        case Form::Matrix:
            return v.matrix().cells->type() == Type::Any
                       ? ResultType()
                       : ResultType::of(v.matrix().cells->type(), v.matrix().cells->scale());
        default:
            return {};
    }
}

bool same(const Value& a, const Value& b) {
    return display(a) == display(b);
}

// Cells of a select list: a call outside of one returns its argument.
bool isCell(Role role) {
    return role == Role::ArrayCells || role == Role::ColumnarTupleCells || role == Role::TupleCells;
}

// The result of NULL and a vector is a vector of NULLs.
bool isAllNull(const Value& v) {
    if (!v.isVector()) return v.isNull();
    for (int64_t i = 0; i < v.size(); ++i) {
        if (!v.at(i).isNull()) return false;
    }
    return true;
}

// One call of a function, held against its declaration.
class CheckedCall {
public:
    CheckedCall(const BuiltinFunction& function, std::vector<Value> arguments)
        : f_(function), d_(function.declaration()), arguments_(std::move(arguments)) {
        request_.print = [](std::string_view) {};
        for (size_t i = 0; i < arguments_.size(); ++i) {
            const Value& v = arguments_[i];
            const bool isVector = v.isVector() && !v.isTuple() && !v.isArrayVector();
            isPlain_ = isPlain_ && (isVector || v.isScalar()) && v.type() != Type::Function;
            if (!isVector || !isItem(i)) continue;
            // Some are more generous with lengths than they need to be.
            sameLength_ = sameLength_ && (!anyVector_ || v.size() == length_);
            length_ = v.size();
            anyVector_ = true;
        }
        const auto from = static_cast<size_t>(std::max<int>(d_.elementwiseFrom, 1)) - 1;
        isElementwise_ = d_.kind == FunctionKind::Elementwise ||
                         (d_.elementwiseFrom > 0 && from < arguments_.size() && !arguments_[from].isVoid());
        isAggregate_ = d_.kind == FunctionKind::Aggregate && !isElementwise_ && !isCell(d_.role);
    }

    // Returns false when the call was refused. problem() describes the errors of the declaration.
    bool answers() {
        const bool taken = takesEverything(f_, arguments_);
        const std::string before = shown(arguments_);
        try {
            result_ = call(arguments_);
        } catch (const InternalError& error) {
            problem_ = error.what();
            return false;
        } catch (const Error& error) {
            if (taken && d_.neverFails && dynamic_cast<const UserError*>(&error)) {
                problem_ = std::string("says that it never fails: ") + error.what();
            }
            return false;
        }
        if (!taken) {
            problem_ = "is given what it does not take, and gives " + display(result_);
            return true;
        }
        if (d_.effect == Effect::Pure && shown(arguments_) != before) problem_ = "is pure, and changed " + before;
        checkType();
        if (isPlain_ && sameLength_) {
            checkForm();
            if (isElementwise_ && anyVector_ && length_ > 0) checkLastItem();
            if (isAggregate_ && !d_.orderSensitive && length_ > 1) checkTurnedAround();
            checkNulls();
        }
        if (d_.effect == Effect::Pure && problem_.empty() && !same(result_, call(arguments_))) {
            problem_ = "is pure, and gives another value the second time";
        }
        return true;
    }
    const std::string& problem() const { return problem_; }

private:
    bool isItem(size_t i) const { return i >= kDeclaredParameters || d_.takes[i].special == Takes::Item; }

    Value call(std::vector<Value> arguments) {
        Context context(wholeProcess().services(), request_);
        return f_.call(context, arguments);
    }

    static std::string shown(std::span<const Value> values) {
        std::string string;
        for (const Value& v : values) string += display(v) + "; ";
        return string;
    }

    void checkType() {
        ResultType said;
        try {
            said = d_.gives(typed(f_, arguments_));
        } catch (const Error& error) {
            problem_ = std::string("its type rule refuses, the call does not: ") + error.what();
            return;
        }
        const ResultType is = typeOf(result_);
        if (!said.isKnown || !is.isKnown || said == is) return;
        problem_ = "says " + std::string(typeName(said.type)) + "(" + std::to_string(said.scale) + "), gives " +
                   std::string(typeName(is.type)) + "(" + std::to_string(is.scale) + ")";
    }

    void checkForm() {
        // A tuple holds several columns.
        const Value column = result_.isTuple() && result_.size() > 0 ? result_.at(0) : result_;
        if (isAggregate_ && !result_.isScalar()) problem_ = "is an aggregate and gives " + typeString(result_);
        if (isElementwise_ && (anyVector_ != result_.isVector() || (anyVector_ && result_.size() != length_))) {
            problem_ = "is elementwise and gives " + typeString(result_);
        }
        if (d_.kind == FunctionKind::Window && arguments_[0].isVector() &&
            (!column.isVector() || column.size() != arguments_[0].size())) {
            problem_ = "is a window and gives " + typeString(result_);
        }
    }

    void checkLastItem() {
        if (!problem_.empty()) return;
        std::vector<Value> last = arguments_;
        for (size_t i = 0; i < last.size(); ++i) {
            if (!last[i].isScalar() && isItem(i)) last[i] = last[i].at(length_ - 1);
        }
        checkSame(std::move(last), result_.at(length_ - 1), "is elementwise, but of the last items alone");
    }

    void checkTurnedAround() {
        std::vector<Value> turned = arguments_;
        for (size_t i = 0; i < turned.size(); ++i) {
            if (!turned[i].isVector() || !isItem(i)) continue;
            std::vector<int32_t> positions;
            for (int64_t k = turned[i].size(); k-- > 0;) positions.push_back(static_cast<int32_t>(k));
            turned[i] = takeRows(turned[i], *Vector::of(Type::Int, positions));
        }
        checkSame(std::move(turned), result_, "does not say that it depends on order, but turned around");
    }

    void checkSame(std::vector<Value> arguments, const Value& expected, const std::string& what) {
        try {
            const Value other = call(std::move(arguments));
            if (!same(other, expected)) problem_ = what + " gives " + display(other);
        } catch (const Error& error) {
            problem_ = what + ": " + error.what();
        }
    }

    void checkNulls() {
        if (d_.nulls != NullRule::Propagate || !arguments_[0].isScalar() || !arguments_[0].isNull()) return;
        if (!isAllNull(result_)) problem_ = "says that NULL gives NULL, and gives " + display(result_);
    }

    const BuiltinFunction& f_;
    const Declaration& d_;
    const std::vector<Value> arguments_;
    Request request_{Principal::owner()};
    bool isPlain_ = true, anyVector_ = false, sameLength_ = true, isElementwise_ = false, isAggregate_ = false;
    int64_t length_ = 1;  // of the vectors that are taken elementwise
    Value result_;
    std::string problem_;
};

std::vector<const BuiltinFunction*> functions() {
    testing::wholeProcess();
    std::vector<const BuiltinFunction*> all;
    for (std::string_view name : FunctionRegistry::instance().names()) {
        all.push_back(&FunctionRegistry::instance().get(name));
    }
    return all;
}

}  // namespace

TEST_CASE("every function is declared, or stands in the list, which only shrinks") {
    std::set<std::string> listed;
    std::ifstream file(PELORUS_UNDECLARED_FUNCTIONS);
    CHECK(file.is_open());
    for (std::string line; std::getline(file, line);) listed.insert(line);
    std::string missing, done;
    for (const BuiltinFunction* f : functions()) {
        const std::string name(f->name());
        if (!isComplete(f->declaration()) && !listed.contains(name)) missing += name + "\n";
        if (isComplete(f->declaration()) && listed.contains(name)) done += name + "\n";
        listed.erase(name);
    }
    INFO("not declared:\n" << missing << "declared, take them off the list:\n" << done);
    CHECK(missing.empty());
    CHECK(done.empty());
    CHECK(listed.empty());
}

TEST_CASE("calls give what functions declare", "[declarations]") {
    const char* only = std::getenv("PELORUS_DECLARATION_ONLY");
    const Drawing drawing = Drawing::fromEnvironment();
    int64_t calls = 0, answered = 0;
    int met = 0, unmet = 0;
    std::string never;
    for (const BuiltinFunction* f : functions()) {
        if (isLeftOut(*f) || !isComplete(f->declaration())) continue;
        if (only && f->name() != only) continue;
        INFO(f->name());
        int64_t here = 0;
        int problems = 0;
        DrawnCalls(*f, drawing).forEach([&](const DrawnCalls::Call& chosen) {
            std::vector<Value> arguments;
            std::string said;
            for (const Sample& s : chosen) {
                arguments.push_back(s.value);
                said += (said.empty() ? "" : ", ") + s.name;
            }
            CheckedCall call(*f, std::move(arguments));
            ++calls;
            here += call.answers();
            if (!call.problem().empty() && ++problems <= 4)
                FAIL_CHECK(f->name() << "(" << said << ") " << call.problem());
        });
        answered += here;
        ++met;
        if (here > 0) continue;
        ++unmet;
        never += " " + std::string(f->name());
    }
    std::printf("%d functions, %lld calls, %lld answered; none answered by%s\n", met, static_cast<long long>(calls),
                static_cast<long long>(answered), never.c_str());
    CHECK((only || (met > 750 && unmet < 30)));
}

TEST_CASE("states of aggregates that are merged give what one state gives", "[declarations]") {
    int met = 0;
    for (const BuiltinFunction* f : functions()) {
        const Declaration& d = f->declaration();
        if (!d.state) continue;
        for (const auto& [type, elements] : itemsByType()) {
            const Value x = testing::wholeProcess().run("take(" + elements + ", 40)");
            const size_t count = static_cast<size_t>(std::max(1, f->signature().minArguments()));
            const std::vector<Value> arguments(count, x);
            if (!takesEverything(*f, arguments)) continue;
            const std::vector<Type> types(count, x.type());
            INFO(f->name() << " of " << type);
            try {
                auto whole = d.state(types), left = d.state(types), right = d.state(types);
                if (!whole) continue;
                const std::vector<Value> first(count, Value::of(x.vector().slice(0, 13)));
                const std::vector<Value> second(count, Value::of(x.vector().slice(13, 27)));
                whole->resize(1), left->resize(1), right->resize(1);
                whole->add(arguments, nullptr, 40);
                left->add(first, nullptr, 13);
                right->add(second, nullptr, 27);
                left->merge(*right, nullptr, 1);
                CHECK(display(left->results()) == display(whole->results()));
                if (!d.orderSensitive) {
                    auto turned = d.state(types);
                    turned->resize(1);
                    turned->add(second, nullptr, 27);
                    turned->add(first, nullptr, 13);
                    CHECK(display(turned->results()) == display(whole->results()));
                }
                ++met;
            } catch (const UserError&) {
                // Values of this type have no such aggregate.
            }
        }
    }
    CHECK(met > 100);
}
