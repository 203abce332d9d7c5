// A region as machine code: one loop that loads each input once, computes every step in registers, and stores the
// result. LLVM's vectoriser makes it run on this machine's widest registers. The rules for NULL and overflow are those
// of runtime/kernel/block/block_kernels_impl.h, operation by operation, so the results are the same to the bit.
#include <set>
#include <unordered_map>

#include "interpreter/jit/code_module.h"
#include "runtime/kernel/block/block_compiler.h"
#include "runtime/kernel/block/block_program.h"

namespace pelorus {

namespace {

using Action = BlockProgram::Action;
using Node = llvm::Value;

class RegionBuilder {
public:
    RegionBuilder(const BlockProgram& program, ArgumentTest isCodeArgument, llvm::Module& module)
        : program_(program),
          isCodeArgument_(isCodeArgument),
          module_(module),
          context_(module.getContext()),
          b_(context_) {}

    // Builds `void region(ptr inputs, ptr constants, ptr out, i64 count)`; nullptr when a step has no translation.
    llvm::Function* build() {
        llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
        auto* type = llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer, b_.getInt64Ty()}, false);
        function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "region", module_);
        Node* inputs = function_->getArg(0);
        out_ = function_->getArg(2);
        count_ = function_->getArg(3);
        function_->getArg(2)->addAttr(llvm::Attribute::NoAlias);
        b_.SetInsertPoint(newBlock("entry"));
        end_ = newBlock("end");
        // Pointers of the inputs are read before the loops.
        std::set<int> conditions;
        for (const BlockProgram::Step& s : program_.steps()) {
            for (int r : {s.a, s.b, s.c}) {
                if (!isInput(r)) continue;
                const int index = program_.info(r).index;
                if (r == s.c) conditions.insert(index);
                if (bases_.contains(index)) continue;
                bases_[index] =
                    b_.CreateLoad(pointer, b_.CreateConstGEP1_64(pointer, inputs, static_cast<uint64_t>(index)));
            }
        }
        loadConstants(function_->getArg(1));
        auto* start = newBlock("start");
        b_.CreateCondBr(b_.CreateICmpSGT(count_, b_.getInt64(0)), start, end_);
        b_.SetInsertPoint(start);
        if (!conditions.empty()) {
            // Conditions are rarely NULL: one check of all of them costs less than a check of every row.
            Node* anyNull = b_.getInt8(0);
            for (const int index : conditions) anyNull = b_.CreateOr(anyNull, allOr(index));
            auto* plain = newBlock("plain");
            auto* withNulls = newBlock("withNulls");
            b_.CreateCondBr(b_.CreateICmpSLT(anyNull, b_.getInt8(0)), withNulls, plain);
            b_.SetInsertPoint(withNulls);
            if (!buildRows(true)) return nullptr;
            b_.SetInsertPoint(plain);
        }
        if (!buildRows(false)) return nullptr;
        b_.SetInsertPoint(end_);
        b_.CreateRetVoid();
        return function_;
    }

private:
    llvm::BasicBlock* newBlock(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }
    bool isInput(int r) const { return r >= 0 && program_.info(r).source == BlockProgram::Source::Input; }

    // The constants that are arguments: read before the loops, and known to be no NULL.
    void loadConstants(Node* words) {
        uint64_t word = 0;
        for (int r = 0; r < program_.registerCount(); ++r) {
            const BlockProgram::RegisterInfo& info = program_.info(r);
            if (!isCodeArgument_(info)) continue;
            llvm::Type* item = laneType(laneOf(info.type));
            Node* loaded = b_.CreateLoad(item, b_.CreateConstGEP1_64(b_.getInt64Ty(), words, word++));
            constants_[r] = loaded;
            notNull_.insert(loaded);
        }
    }

    // Builds a loop over all rows, and a separate block for the code after it; `body` builds the work on row i.
    template <class Body>
    void forRows(llvm::BasicBlock* after, Body body) {
        auto* before = b_.GetInsertBlock();
        auto* loop = newBlock("loop");
        b_.CreateBr(loop);
        b_.SetInsertPoint(loop);
        auto* i = b_.CreatePHI(b_.getInt64Ty(), 2);
        i->addIncoming(b_.getInt64(0), before);
        body(before, i);
        Node* next = b_.CreateAdd(i, b_.getInt64(1));
        i->addIncoming(next, loop);
        b_.CreateCondBr(b_.CreateICmpSLT(next, count_), loop, after);
    }

    // The bitwise or of all elements of a BOOL input: negative when one is NULL, which alone has the sign bit.
    Node* allOr(int index) {
        auto* after = newBlock("seen");
        Node* all = nullptr;
        forRows(after, [&](llvm::BasicBlock* before, Node* i) {
            auto* sum = b_.CreatePHI(b_.getInt8Ty(), 2);
            sum->addIncoming(b_.getInt8(0), before);
            all = b_.CreateOr(sum, b_.CreateLoad(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), bases_[index], i)));
            sum->addIncoming(all, b_.GetInsertBlock());
        });
        b_.SetInsertPoint(after);
        return all;
    }

    // The loop that does the steps; inputs that are conditions may be NULL, or are known not to be.
    bool buildRows(bool conditionsMayBeNull) {
        bool isWhole = true;
        forRows(end_, [&](llvm::BasicBlock*, Node* i) {
            auto value = [&](int r) -> Node* {
                const BlockProgram::RegisterInfo& info = program_.info(r);
                if (isCodeArgument_(info)) return constants_.at(r);
                if (info.source == BlockProgram::Source::Constant) return nullOf(laneOf(info.type));
                if (info.source == BlockProgram::Source::Step) return stepValues_[info.index];
                llvm::Type* item = laneType(laneOf(info.type));
                return b_.CreateLoad(item, b_.CreateGEP(item, bases_[info.index], i));
            };
            for (const BlockProgram::Step& s : program_.steps()) {
                Node* a = value(s.a);
                Node* bb = s.b >= 0 ? value(s.b) : nullptr;
                Node* c = s.c >= 0 ? value(s.c) : nullptr;
                Node* result = step(s, a, bb, c, conditionsMayBeNull || !isInput(s.c));
                isWhole &= result != nullptr;
                if (!isWhole) return;
                stepValues_[program_.info(s.out).index] = result;
            }
            Node* result = stepValues_[program_.info(program_.result()).index];
            b_.CreateStore(result, b_.CreateGEP(result->getType(), out_, i));
        });
        return isWhole;
    }

    llvm::Type* laneType(Lane lane) {
        switch (lane) {
            case Lane::I8:
                return b_.getInt8Ty();
            case Lane::I16:
                return b_.getInt16Ty();
            case Lane::I32:
                return b_.getInt32Ty();
            case Lane::I64:
                return b_.getInt64Ty();
            case Lane::F32:
                return b_.getFloatTy();
            default:
                return b_.getDoubleTy();
        }
    }

    static bool isFloat(Lane lane) { return lane == Lane::F32 || lane == Lane::F64; }

    Node* nullOf(Lane lane) {
        switch (lane) {
            case Lane::I8:
                return b_.getInt8(static_cast<uint8_t>(null<int8_t>));
            case Lane::I16:
                return b_.getInt16(static_cast<uint16_t>(null<int16_t>));
            case Lane::I32:
                return b_.getInt32(static_cast<uint32_t>(null<int32_t>));
            case Lane::I64:
                return b_.getInt64(static_cast<uint64_t>(null<int64_t>));
            case Lane::F32:
                return llvm::ConstantFP::get(b_.getFloatTy(), null<float>);
            default:
                return llvm::ConstantFP::get(b_.getDoubleTy(), null<double>);
        }
    }

    Node* isNullNode(Lane lane, Node* x) {
        if (notNull_.contains(x)) return b_.getFalse();
        return isFloat(lane) ? b_.CreateFCmpOEQ(x, nullOf(lane)) : b_.CreateICmpEQ(x, nullOf(lane));
    }

    Node* finite(Lane lane, Node* x) {
        Node* magnitude = b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
        Node* limit = lane == Lane::F32 ? llvm::ConstantFP::get(b_.getFloatTy(), FLT_MAX)
                                        : llvm::ConstantFP::get(b_.getDoubleTy(), DBL_MAX);
        return b_.CreateFCmpOLE(magnitude, limit);
    }

    // settled() of the kernels.
    Node* settled(Lane lane, Node* a, Node* x, Node* r) {
        Node* bad = b_.CreateOr(isNullNode(lane, a), isNullNode(lane, x));
        Node* overflow = b_.CreateAnd(b_.CreateNot(finite(lane, r)), b_.CreateAnd(finite(lane, a), finite(lane, x)));
        return b_.CreateSelect(b_.CreateOr(bad, overflow), nullOf(lane), r);
    }

    Node* bit(Node* condition) { return b_.CreateZExt(condition, b_.getInt8Ty()); }

    Node* arithmetic(BlockOp op, Lane lane, Node* a, Node* x) {
        bool f = isFloat(lane);
        using P = llvm::CmpInst::Predicate;
        auto compare = [&](P integers, P floats) {
            return bit(f ? b_.CreateFCmp(floats, a, x) : b_.CreateICmp(integers, a, x));
        };
        auto integer = [&](Node* r) {
            return b_.CreateSelect(b_.CreateOr(isNullNode(lane, a), isNullNode(lane, x)), nullOf(lane), r);
        };
        switch (op) {
            case BlockOp::Add:
                return f ? settled(lane, a, x, b_.CreateFAdd(a, x)) : integer(b_.CreateAdd(a, x));
            case BlockOp::Sub:
                return f ? settled(lane, a, x, b_.CreateFSub(a, x)) : integer(b_.CreateSub(a, x));
            case BlockOp::Mul:
                return f ? settled(lane, a, x, b_.CreateFMul(a, x)) : integer(b_.CreateMul(a, x));
            case BlockOp::Div: {
                if (!f) return nullptr;
                Node* zero = b_.CreateFCmpOEQ(x, llvm::ConstantFP::get(x->getType(), 0.0));
                Node* divisor = b_.CreateSelect(zero, llvm::ConstantFP::get(x->getType(), 1.0), x);
                return b_.CreateSelect(zero, nullOf(lane), settled(lane, a, x, b_.CreateFDiv(a, divisor)));
            }
            case BlockOp::Lt:
                return compare(P::ICMP_SLT, P::FCMP_OLT);
            case BlockOp::Le:
                return compare(P::ICMP_SLE, P::FCMP_OLE);
            case BlockOp::Eq:
                return compare(P::ICMP_EQ, P::FCMP_OEQ);
            case BlockOp::Gt:
                return compare(P::ICMP_SGT, P::FCMP_OGT);
            case BlockOp::Ge:
                return compare(P::ICMP_SGE, P::FCMP_OGE);
            case BlockOp::Ne:
                return compare(P::ICMP_NE, P::FCMP_UNE);
            default:
                return nullptr;
        }
    }

    Node* convert(Lane from, Lane to, Node* x) {
        if (isFloat(from) && !isFloat(to)) return nullptr;  // rounding stays with the kernels
        if (from == Lane::F64 && to == Lane::F32) return nullptr;
        Node* r;
        if (isFloat(to)) {
            r = isFloat(from) ? b_.CreateFPExt(x, laneType(to)) : b_.CreateSIToFP(x, laneType(to));
        } else {
            r = b_.CreateSExtOrTrunc(x, laneType(to));
        }
        return b_.CreateSelect(isNullNode(from, x), nullOf(to), r);
    }

    Node* step(const BlockProgram::Step& s, Node* a, Node* x, Node* c, bool conditionMayBeNull) {
        Node* null8 = nullOf(Lane::I8);
        auto eitherNull = [&] { return b_.CreateOr(isNullNode(Lane::I8, a), isNullNode(Lane::I8, x)); };
        switch (s.action) {
            case Action::Arithmetic:
                return arithmetic(s.op, s.lane, a, x);
            case Action::And:
                return b_.CreateSelect(eitherNull(), null8, b_.CreateAnd(a, x));
            case Action::Or:
                return b_.CreateSelect(isNullNode(Lane::I8, a), x,
                                       b_.CreateSelect(isNullNode(Lane::I8, x), a, b_.CreateOr(a, x)));
            case Action::Not:
                return b_.CreateSelect(isNullNode(Lane::I8, a), null8, bit(b_.CreateICmpEQ(a, b_.getInt8(0))));
            case Action::Negate:
                return isFloat(s.lane) ? b_.CreateSelect(isNullNode(s.lane, a), nullOf(s.lane), b_.CreateFNeg(a))
                                       : b_.CreateNeg(a);
            case Action::IsNull:
                return bit(isNullNode(s.lane, a));
            case Action::ToBool: {
                Node* nonZero = isFloat(s.lane) ? b_.CreateFCmpUNE(a, llvm::ConstantFP::get(a->getType(), 0.0))
                                                : b_.CreateICmpNE(a, llvm::ConstantInt::get(a->getType(), 0));
                return b_.CreateSelect(isNullNode(s.lane, a), null8, bit(nonZero));
            }
            case Action::Convert:
                return convert(s.lane, laneOf(program_.info(s.out).type), a);
            case Action::Select: {
                Node* chosen = b_.CreateSelect(b_.CreateICmpSGT(c, b_.getInt8(0)), a, x);
                if (!conditionMayBeNull) return chosen;
                // The result of a NULL condition is NULL.
                return b_.CreateSelect(isNullNode(Lane::I8, c), nullOf(s.lane), chosen);
            }
            default:
                return nullptr;
        }
    }

    const BlockProgram& program_;
    const ArgumentTest isCodeArgument_;
    llvm::Module& module_;
    llvm::LLVMContext& context_;
    llvm::IRBuilder<> b_;
    llvm::Function* function_ = nullptr;
    Node *out_ = nullptr, *count_ = nullptr;
    llvm::BasicBlock* end_ = nullptr;            // end of the function
    std::unordered_map<int, Node*> bases_;       // pointers to the elements, by input
    std::unordered_map<int, Node*> stepValues_;  // values by scratch index
    std::unordered_map<int, Node*> constants_;   // the arguments, by register
    std::set<Node*> notNull_;
};

}  // namespace

}  // namespace pelorus

extern "C" pelorus::CompiledBlock pelorusCompileRegion(const pelorus::BlockProgram* program,
                                                       pelorus::ArgumentTest isCodeArgument, int64_t* codeBytes) {
    pelorus::CodeModule code;
    if (!code.ok()) return nullptr;
    llvm::Function* function = pelorus::RegionBuilder(*program, isCodeArgument, code.module()).build();
    void* address = function ? code.compile(function) : nullptr;
    *codeBytes = code.codeBytes();
    return reinterpret_cast<pelorus::CompiledBlock>(address);
}
