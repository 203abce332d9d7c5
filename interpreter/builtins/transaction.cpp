// Functions behind the transaction statement: one session changes shared tables in memory atomically and in isolation.
#include <optional>
#include <thread>

#include "common/error.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/session/session.h"
#include "runtime/table/table.h"

namespace pelorus {

namespace {

// Holds the locks of all shared tables and copies of their contents. Other sessions wait until it is destroyed. Work on
// several threads is done by the holder's thread meanwhile: another one would wait for the locks.
class SharedTransaction final : public Object, public Described {
public:
    explicit SharedTransaction(const SharedObjects& shared) {
        std::vector<Ref<MemoryTable>> tables;
        for (const std::string& name : shared.names()) {
            Value v;
            if (!shared.find(name, v) || !v.isTable()) continue;
            auto* table = asMemoryTable(v);
            if (table && table->lock) tables.emplace_back(table);
        }
        while (!lockAll(tables)) std::this_thread::yield();
        for (const Ref<MemoryTable>& table : tables) tables_.emplace_back(table, table->copy());
    }

    void rollback() {
        for (auto& [table, before] : tables_) table->restore(*before);
    }
    void unlock() {
        locks_.clear();
        tables_.clear();
        serial_.reset();
    }
    std::string describe() const override { return "Transaction"; }

private:
    struct Unlock {
        // The analysis knows no capability of a list.
        void operator()(RecursiveMutex* mutex) const NO_THREAD_SAFETY_ANALYSIS { mutex->unlock(); }
    };

    // Acquires all locks or none: a waiting session holds none. The analysis knows no capability of a list.
    bool lockAll(const std::vector<Ref<MemoryTable>>& tables) NO_THREAD_SAFETY_ANALYSIS {
        locks_.reserve(2 * tables.size());
        for (const Ref<MemoryTable>& table : tables) {
            for (RecursiveMutex* mutex : {&table->turn, table->lock.get()}) {
                if (!mutex->try_lock()) {
                    locks_.clear();
                    return false;
                }
                locks_.emplace_back(mutex);
            }
        }
        return true;
    }

    std::vector<std::pair<Ref<MemoryTable>, Ref<MemoryTable>>> tables_;  // shared, and its copy from before
    std::vector<std::unique_ptr<RecursiveMutex, Unlock>> locks_;         // held
    std::optional<SerialWork> serial_{std::in_place};
};

Value beginKernel(Context& context, Arguments) {
    auto* shared = context.service<SharedObjects>();
    if (!shared) throw UserError("This process keeps no shared objects.");
    return Value::ofSystem(Type::Resource, makeRef<SharedTransaction>(*shared));
}

SharedTransaction& transactionArgument(Arguments arguments) {
    auto* transaction = arguments[0].isScalar() && arguments[0].type() == Type::Resource
                            ? dynamic_cast<SharedTransaction*>(arguments[0].object())
                            : nullptr;
    if (!transaction) throw UserError(0, "transaction must be what beginTransaction gave.");
    return *transaction;
}

// endTransaction(transaction, isRollback)
Value endKernel(Context&, Arguments arguments) {
    SharedTransaction& transaction = transactionArgument(arguments);
    if (arguments[1].integer() != 0) transaction.rollback();
    transaction.unlock();
    return Value();
}

}  // namespace

void registerTransactionBuiltins(FunctionRegistry& registry) {
    const FunctionFamily family(registry, Facet::Public, Effect::Writes);
    registry.add(
        "beginTransaction()", beginKernel,
        {.summary = "Keeps the shared tables in memory for this session alone; the transaction statement calls "
                    "it.",
         .example = "t = beginTransaction(); update positions set qty = 0; endTransaction(t, false)"});
    registry.add("endTransaction(transaction, isRollback)", endKernel,
                 {.summary = "Ends what beginTransaction began, with or without its changes; the transaction statement "
                             "calls it.",
                  .errors = "transaction is something else.",
                  .example = "t = beginTransaction(); delete from positions; endTransaction(t, true)"});
}

}  // namespace pelorus
