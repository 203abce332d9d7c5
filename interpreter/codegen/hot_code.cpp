#include "interpreter/bytecode/hot_code.h"
#include "common/thread/mutex.h"

#include <algorithm>
#include <bit>

#include "common/error.h"
#include "interpreter/bytecode/closure.h"
#include "interpreter/codegen/boxed_call.h"
#include "interpreter/codegen/code_generator.h"
#include "interpreter/codegen/translate.h"
#include "runtime/function/context.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

constexpr uint32_t kHotCalls = 5000;
constexpr size_t kMaxVersions = 8;     // compiled versions of one function, for different types
constexpr uint32_t kMaxGiveUps = 200;  // failed attempts, after which a function is not compiled any more
constexpr size_t kMaxArguments = 8;

std::atomic<int64_t> generated{0};

template <class Code>
Code generate(const char* generator, const ScalarUnit& unit) {
    auto compile = reinterpret_cast<Code (*)(const ScalarUnit*)>(generatorFunction(generator));
    const Code code = compile ? compile(&unit) : nullptr;
    if (code) generated.fetch_add(1, std::memory_order_relaxed);
    return code;
}

struct LoopCode {
    LoopCode() = default;
    LoopCode(const LoopCode&) = delete;
    LoopCode& operator=(const LoopCode&) = delete;
    ~LoopCode() { releaseCode(reinterpret_cast<const void*>(code.load())); }

    int32_t pc = 0;
    std::vector<ScalarInput> inputs;
    std::vector<std::shared_ptr<const BoxedCall>> boxed;  // the code refers to them
    std::atomic<ScalarEntry> code = nullptr;
};

struct CallCode {
    CallCode() = default;
    CallCode(const CallCode&) = delete;
    CallCode& operator=(const CallCode&) = delete;
    ~CallCode() { releaseCode(reinterpret_cast<const void*>(code.load())); }

    std::vector<Type> types;
    Type result = Type::Void;
    std::vector<std::shared_ptr<const BoxedCall>> boxed;  // the code refers to them
    std::atomic<ScalarCall> code = nullptr;
    std::atomic<uint32_t> giveUps = 0;
};

bool matches(const LoopCode& loop, Value* const* spaces) {
    for (const ScalarInput& wanted : loop.inputs) {
        ScalarInput found;
        if (!scalarInput(spaces[spaceOf(wanted.place)][indexOf(wanted.place)], found)) return false;
        bool vector = wanted.kind == ScalarInput::Kind::WrittenVector && found.kind == ScalarInput::Kind::Vector;
        if (found.type != wanted.type || (found.kind != wanted.kind && !vector)) return false;
    }
    return true;
}

bool matches(const CallCode& call, std::span<const Value> arguments) {
    if (call.types.size() != arguments.size()) return false;
    for (size_t k = 0; k < arguments.size(); ++k) {
        if (arguments[k].tagWord() != scalarTag(call.types[k])) return false;
    }
    return true;
}

}  // namespace

struct HotCode::State {
    Mutex mutex;
    std::vector<std::shared_ptr<LoopCode>> loops GUARDED_BY(mutex);
    std::vector<int32_t> refused GUARDED_BY(mutex);                  // places that have no translation
    std::vector<std::shared_ptr<CallCode>> calls GUARDED_BY(mutex);  // the first is read without it through `first`
    std::atomic<CallCode*> first = nullptr;                          // never taken back
    std::atomic<bool> callsRefused = false;

    CallCode* find(const Closure& function, std::span<const Value> arguments, bool eager);
};

int64_t compiledScalarCount() {
    return generated.load(std::memory_order_relaxed);
}

HotCode::HotCode() : state_(std::make_shared<State>()) {}
HotCode::~HotCode() = default;

int32_t HotCode::run(const CompiledFunction& code, int32_t pc, Value* const* spaces, Context& context, bool isJit) {
    const JitMode mode = jitMode();
    if (mode == JitMode::Off) return -1;
    State* state = state_.get();
    std::shared_ptr<LoopCode> loop;
    {
        const MutexLock lock(state->mutex);
        if (std::count(state->refused.begin(), state->refused.end(), pc) > 3) return -1;
        size_t versions = 0;
        for (const auto& known : state->loops) {
            if (known->pc != pc) continue;
            ++versions;
            if (matches(*known, spaces)) loop = known;
        }
        if (!loop && versions >= kMaxVersions) return -1;
    }
    if (!loop) {
        std::optional<ScalarUnit> unit = translateFrom(code, pc, spaces);
        if (!unit) {
            const MutexLock lock(state->mutex);
            state->refused.push_back(pc);
            return -1;
        }
        loop = std::make_shared<LoopCode>();
        loop->pc = pc;
        loop->inputs = unit->inputs;
        loop->boxed = unit->boxed;
        {
            const MutexLock lock(state->mutex);
            state->loops.push_back(loop);
        }
        // The lock is not held: the code generator takes milliseconds, and other threads run this function meanwhile.
        auto compile = [loop, unit = std::make_shared<ScalarUnit>(std::move(*unit))] {
            loop->code = generate<ScalarEntry>("pelorusCompileEntry", *unit);
        };
        if (mode == JitMode::Always || isJit) {
            compile();
        } else {
            compileInBackground(compile);
        }
    }
    ScalarEntry entry = loop->code.load(std::memory_order_acquire);
    const ScalarRun run{&context.request->cancelled, &context};
    return entry ? entry(spaces, &run) : -1;
}

bool HotCode::call(const Closure& function, std::span<const Value> arguments, Value& result, Context& context) {
    State& state = *state_;
    if (state.callsRefused.load(std::memory_order_relaxed) || arguments.size() > kMaxArguments) return false;
    for (const Value& v : arguments) {
        if (v.tagWord() != scalarTag(v.type())) return false;
    }
    const JitMode mode = jitMode();
    if (mode == JitMode::Off) return false;
    const bool eager = mode == JitMode::Always || function.code().body.isJit;
    if (!eager && calls_.fetch_add(1, std::memory_order_relaxed) < kHotCalls) return false;
    CallCode* call = state.first.load(std::memory_order_acquire);
    if (!call || !matches(*call, arguments)) call = state.find(function, arguments, eager);
    if (!call) return false;
    ScalarCall code = call->code.load(std::memory_order_acquire);
    if (!code || call->giveUps.load(std::memory_order_relaxed) > kMaxGiveUps) return false;
    int64_t bits[kMaxArguments];
    for (size_t k = 0; k < arguments.size(); ++k) bits[k] = arguments[k].integer();
    int64_t out;
    const ScalarRun run{&context.request->cancelled, &context};
    if (!code(bits, &out, &run)) {
        call->giveUps.fetch_add(1, std::memory_order_relaxed);
        return false;
    }
    result.assignScalar(call->result, out);
    return true;
}

namespace {

// Argument of many calls: elements of a vector, or the same scalar for all.
struct ItemSource {
    Storage storage = Storage::None;
    const char* items = nullptr;
    int64_t scalar = 0;

    int64_t bits(int64_t i) const {
        switch (storage) {
            case Storage::Int8:
                return reinterpret_cast<const int8_t*>(items)[i];
            case Storage::Int16:
                return reinterpret_cast<const int16_t*>(items)[i];
            case Storage::Int32:
                return reinterpret_cast<const int32_t*>(items)[i];
            case Storage::Float32: {
                const float x = reinterpret_cast<const float*>(items)[i];
                return std::bit_cast<int64_t>(isNull(x) ? null<double> : static_cast<double>(x));
            }
            case Storage::None:
                return scalar;
            default:
                return reinterpret_cast<const int64_t*>(items)[i];
        }
    }
};

void storeBits(Storage storage, char* items, int64_t i, int64_t bits) {
    switch (storage) {
        case Storage::Int8:
            reinterpret_cast<int8_t*>(items)[i] = static_cast<int8_t>(bits);
            break;
        case Storage::Int16:
            reinterpret_cast<int16_t*>(items)[i] = static_cast<int16_t>(bits);
            break;
        case Storage::Int32:
            reinterpret_cast<int32_t*>(items)[i] = static_cast<int32_t>(bits);
            break;
        case Storage::Float32: {
            const double x = std::bit_cast<double>(bits);
            reinterpret_cast<float*>(items)[i] = isNull(x) ? null<float> : static_cast<float>(x);
            break;
        }
        default:
            reinterpret_cast<int64_t*>(items)[i] = bits;
    }
}

}  // namespace

bool HotCode::callOnElements(const Closure& function, std::span<const Value> arguments, int64_t count, Context& context,
                             Value& result) {
    State& state = *state_;
    const JitMode mode = jitMode();
    bool worthIt = count > static_cast<int64_t>(kHotCalls) || mode == JitMode::Always || function.code().body.isJit;
    if (mode == JitMode::Off || !worthIt || count == 0 || state.callsRefused || arguments.size() > kMaxArguments)
        return false;
    std::vector<Value> first;
    std::vector<ItemSource> sources;
    for (const Value& v : arguments) {
        ScalarInput input;
        bool usable =
            scalarInput(v, input) && input.kind != ScalarInput::Kind::Range && (v.isScalar() || v.size() == count);
        if (!usable) return false;
        first.push_back(v.isScalar() ? v : v.vector().at(0));
        if (v.isScalar()) {
            sources.push_back({.scalar = v.integer()});
        } else {
            sources.push_back({.storage = storageOf(v.type()), .items = v.vector().raw()});
        }
    }
    CallCode* call = state.find(function, first, true);
    ScalarCall code = call ? call->code.load(std::memory_order_acquire) : nullptr;
    if (!code) return false;
    Ref<Vector> results = Vector::make(call->result, count);
    char* items = results->mutableRaw();
    const Storage storage = storageOf(results->type());
    int64_t bits[kMaxArguments];
    const ScalarRun run{&context.request->cancelled, &context};
    for (int64_t i = 0; i < count; ++i) {
        // A call may take long. The interpreter, which takes over, ends a cancelled request.
        if (run.cancelled->load(std::memory_order_relaxed)) return false;
        for (size_t k = 0; k < sources.size(); ++k) bits[k] = sources[k].bits(i);
        int64_t out;
        if (!code(bits, &out, &run)) return false;
        storeBits(storage, items, i, out);
    }
    result = Value::of(results);
    return true;
}

// The code for these types, translated now when they are new; nullptr when they have none.
CallCode* HotCode::State::find(const Closure& function, std::span<const Value> arguments, bool eager) {
    std::shared_ptr<CallCode> made;
    std::optional<ScalarUnit> unit;
    {
        const MutexLock lock(mutex);
        for (const auto& known : calls) {
            if (matches(*known, arguments)) return known.get();
        }
        if (calls.size() >= kMaxVersions) return nullptr;
        made = std::make_shared<CallCode>();
        for (const Value& v : arguments) made->types.push_back(v.type());
        unit = translateFunction(function, made->types, made->result);
        if (!unit) {
            callsRefused = true;
            return nullptr;
        }
        made->boxed = unit->boxed;
        calls.push_back(made);
        if (!first) first = made.get();
    }
    // The lock is not held: other threads that find `made` before it has code interpret meanwhile.
    auto compile = [made, unit = std::make_shared<ScalarUnit>(std::move(*unit))] {
        made->code = generate<ScalarCall>("pelorusCompileCall", *unit);
    };
    if (eager) {
        compile();
    } else {
        compileInBackground(compile);
    }
    return made.get();
}

namespace {

char* elementsOf(Value* value, bool forWriting, int64_t* sizes) {
    auto* vector = value->as<Vector>();
    sizes[0] = vector->size();
    sizes[1] = 0;
    if (forWriting && value->isUnique()) {
        try {
            char* items = vector->mutableRaw();
            sizes[1] = sizes[0];
            return items;
        } catch (const Error&) {
            // There is no memory for a copy: machine code cannot throw, so the interpreter repeats the write and
            // reports it.
        }
    }
    return const_cast<char*>(vector->raw());
}

void assign(Value* place, int32_t type, int64_t bits) {
    place->assignScalar(static_cast<Type>(type), bits);
}

void assignRange(Value* place, int32_t type, int64_t begin, int64_t end, bool isSequence) {
    auto scalar = [&](int64_t x) {
        bool isNullElement = x == null<int64_t>;
        return isNullElement ? Value::nullOf(static_cast<Type>(type)) : Value::scalar(static_cast<Type>(type), x);
    };
    *place = isSequence ? sequence(scalar(begin), scalar(end)) : pairOf(scalar(begin), scalar(end));
}

bool callBoxed(const BoxedCall* call, const int64_t* slots, int64_t* result, const ScalarRun* run) {
    return call->run(slots, result, *run->context);
}

void copy(Value* place, const Value* source) {
    *place = *source;
}

}  // namespace

constexpr ScalarSupport scalarSupport{elementsOf, assign, assignRange, copy, callBoxed};

}  // namespace pelorus
