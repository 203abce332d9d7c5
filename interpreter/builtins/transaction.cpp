// Functions behind the transaction statement: one session changes shared tables in memory and stored tables atomically
// and in isolation.
#include <chrono>
#include <optional>
#include <thread>

#include "common/error.h"
#include "common/thread/cancellation.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"
#include "interpreter/builtins/interpreter_builtins.h"
#include "interpreter/session/session.h"
#include "runtime/append/script_transaction.h"
#include "runtime/table/table.h"

namespace pelorus {

namespace {

// How long a row lock is waited for while tables in memory are locked: who holds the row may wait for one of these, and
// no search for deadlocks knows both kinds of locks.
constexpr std::chrono::seconds kWaitBesideMemory{1};
constexpr std::chrono::microseconds kPause{50};

// The locks of all shared tables in memory, and copies of their contents. Other sessions wait until it is destroyed.
class LockedTables {
public:
    // Throws UserError when the request is cancelled while others have the tables.
    explicit LockedTables(const SharedObjects& shared) {
        std::vector<Ref<MemoryTable>> tables;
        for (const std::string& name : shared.names()) {
            Value v;
            if (!shared.find(name, v) || !v.isTable()) continue;
            auto* table = asMemoryTable(v);
            if (table && table->lock) tables.emplace_back(table);
        }
        while (!lockAll(tables)) {
            checkCancelled();
            std::this_thread::sleep_for(kPause);
        }
        for (const Ref<MemoryTable>& table : tables) tables_.emplace_back(table, table->copy());
    }

    bool isEmpty() const { return tables_.empty(); }
    void rollback() {
        for (auto& [table, before] : tables_) table->restore(*before);
    }

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
};

// A transaction block that runs. Work on several threads is done by the script's thread meanwhile: another one would
// wait for the locks. Rolls back when it is destroyed before its end.
class RunningBlock final : public Object, public Described {
public:
    explicit RunningBlock(const SharedObjects& shared) : tables_(std::in_place, shared) {
        stored_.emplace(
            TransactionSettings{.lockTimeout = tables_->isEmpty() ? std::chrono::seconds{0} : kWaitBesideMemory});
    }
    ~RunningBlock() override { rollback(); }

    void commit() {
        if (!stored_) return;
        try {
            stored_->commit();
        } catch (...) {
            rollback();
            throw;
        }
        end();
    }
    void rollback() {
        if (!stored_) return;
        stored_->rollback();
        tables_->rollback();
        end();
    }
    std::string describe() const override { return "Transaction"; }

private:
    void end() {
        stored_.reset();
        tables_.reset();
        serial_.reset();
    }

    std::optional<LockedTables> tables_;
    std::optional<ScriptTransaction> stored_;  // none: the block has ended
    std::optional<SerialWork> serial_{std::in_place};
};

Value beginKernel(Context& context, Arguments) {
    auto* shared = context.service<SharedObjects>();
    if (!shared) throw UserError("This process keeps no shared objects.");
    return Value::ofSystem(Type::Resource, makeRef<RunningBlock>(*shared));
}

RunningBlock& blockArgument(Arguments arguments) {
    auto* block = arguments[0].isScalar() && arguments[0].type() == Type::Resource
                      ? dynamic_cast<RunningBlock*>(arguments[0].object())
                      : nullptr;
    if (!block) throw UserError(0, "transaction must be what beginTransaction gave.");
    return *block;
}

// endTransaction(transaction, isRollback)
Value endKernel(Context&, Arguments arguments) {
    RunningBlock& block = blockArgument(arguments);
    if (arguments[1].integer() != 0) {
        block.rollback();
    } else {
        block.commit();
    }
    return Value();
}

}  // namespace

// The compiler alone calls them: a block that a script held in a variable could end on another thread, or never.
void registerTransactionBuiltins(FunctionRegistry& registry) {
    const Declaration compiled{.effect = Effect::Writes, .facet = Facet::Node};
    registry.add("beginTransaction()", beginKernel, {.summary = "Begins a transaction block."}, compiled);
    registry.add(
        "endTransaction(transaction, isRollback)", endKernel,
        {.summary = "Ends what beginTransaction began, with or without its changes.",
         .errors = "transaction is something else; a row is refused, or the disk refuses: nothing was changed."},
        compiled);
}

}  // namespace pelorus
