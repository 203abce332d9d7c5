// Scalar code as machine code: slots become registers, exits store them back. Operation by operation as
// runtime/kernel/scalar_arithmetic.h computes.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <cfloat>
#include <unordered_map>

#include "interpreter/hot/boxed_call.h"
#include "interpreter/hot/scalar_code.h"
#include "interpreter/jit/code_module.h"

namespace pelorus {

namespace {

using Node = llvm::Value;

class UnitBuilder {
public:
    UnitBuilder(const ScalarUnit& unit, llvm::Module& module)
        : unit_(unit), module_(module), context_(module.getContext()), b_(context_) {}

    llvm::Function* buildEntry() {
        declareFunctions(1);
        auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {pointer(), pointer()}, false);
        auto* entry = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "entry", module_);
        function_ = entry;
        begin(unit_.functions[0]);
        runs(entry->getArg(1));
        for (uint64_t s = 0; s < 4; ++s) {
            spaceBases_[s] = b_.CreateLoad(pointer(), b_.CreateConstGEP1_64(pointer(), entry->getArg(0), s));
        }
        loadInputs();
        blocks(unit_.functions[0]);
        for (size_t f = 1; f < unit_.functions.size(); ++f) inner(f);
        return entry;
    }

    // `i1 call(ptr arguments, ptr result, ptr run)` around function 0.
    llvm::Function* buildCall() {
        declareFunctions(0);
        for (size_t f = 0; f < unit_.functions.size(); ++f) inner(f);
        auto* type = llvm::FunctionType::get(b_.getInt1Ty(), {pointer(), pointer(), pointer()}, false);
        auto* call = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "call", module_);
        b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", call));
        std::vector<Node*> arguments;
        for (uint64_t p = 0; p < unit_.functions[0].parameters.size(); ++p) {
            arguments.push_back(b_.CreateLoad(i64(), b_.CreateConstGEP1_64(i64(), call->getArg(0), p)));
        }
        arguments.push_back(call->getArg(1));
        arguments.push_back(call->getArg(2));
        arguments.push_back(b_.getInt32(0));
        b_.CreateRet(b_.CreateCall(functions_[0], arguments));
        return call;
    }

private:
    llvm::Type* pointer() { return llvm::PointerType::getUnqual(context_); }
    llvm::Type* i64() { return b_.getInt64Ty(); }

    void declareFunctions(size_t first) {
        functions_.resize(unit_.functions.size());
        for (size_t f = first; f < unit_.functions.size(); ++f) {
            std::vector<llvm::Type*> types(unit_.functions[f].parameters.size(), i64());
            types.push_back(pointer());
            types.push_back(pointer());
            types.push_back(b_.getInt32Ty());
            auto* type = llvm::FunctionType::get(b_.getInt1Ty(), types, false);
            functions_[f] = llvm::Function::Create(type, llvm::Function::InternalLinkage, "f", module_);
        }
    }

    void inner(size_t f) {
        const ScalarFunction& source = unit_.functions[f];
        function_ = functions_[f];
        begin(source);
        for (size_t p = 0; p < source.parameters.size(); ++p) {
            b_.CreateStore(function_->getArg(static_cast<unsigned>(p)),
                           slots_[static_cast<size_t>(source.parameters[p])]);
        }
        auto after = static_cast<unsigned>(source.parameters.size());
        result_ = function_->getArg(after);
        runs(function_->getArg(after + 1));
        depth_ = function_->getArg(after + 2);
        auto* deep = giveUp();
        auto* go = llvm::BasicBlock::Create(context_, "go", function_);
        b_.CreateCondBr(b_.CreateICmpSLT(depth_, b_.getInt32(kMaxScalarDepth)), go, deep);
        b_.SetInsertPoint(go);
        blocks(source);
    }

    void runs(Node* run) {
        run_ = run;
        cancelled_ = b_.CreateLoad(pointer(), run);
    }

    void begin(const ScalarFunction& source) {
        b_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
        slots_.clear();
        exitBlocks_.clear();
        giveUp_ = nullptr;
        depth_ = nullptr;
        for (int s = 0; s < source.slots; ++s) slots_.push_back(b_.CreateAlloca(i64()));
        for (Node* slot : slots_) b_.CreateStore(b_.getInt64(0), slot);
    }

    void blocks(const ScalarFunction& source) {
        blocks_.clear();
        for (size_t k = 0; k < source.blocks.size(); ++k) {
            blocks_.push_back(llvm::BasicBlock::Create(context_, "block", function_));
        }
        b_.CreateBr(blocks_[0]);
        for (size_t k = 0; k < source.blocks.size(); ++k) {
            b_.SetInsertPoint(blocks_[k]);
            block(source.blocks[k]);
        }
    }

    void block(const ScalarBlock& block) {
        if (block.isLoop) {
            auto* flag = b_.CreateLoad(b_.getInt8Ty(), cancelled_);
            flag->setAtomic(llvm::AtomicOrdering::Monotonic);
            flag->setAlignment(llvm::Align(1));
            check(b_.CreateICmpEQ(flag, b_.getInt8(0)), block.cancelExit);
        }
        for (const ScalarStep& step : block.steps) this->step(step);
        switch (block.end) {
            case ScalarBlock::End::Jump:
                b_.CreateBr(blocks_[static_cast<size_t>(block.target)]);
                break;
            case ScalarBlock::End::Branch: {
                auto* branch = b_.CreateCondBr(b_.CreateICmpNE(get(block.slot), b_.getInt64(0)),
                                               blocks_[static_cast<size_t>(block.target)],
                                               blocks_[static_cast<size_t>(block.otherwise)]);
                // Cheap sides are computed both, and one is chosen.
                if (block.isData) {
                    branch->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDNode::get(context_, {}));
                }
                break;
            }
            case ScalarBlock::End::Exit:
                b_.CreateBr(exit(block.target));
                break;
            case ScalarBlock::End::Return:
                b_.CreateStore(get(block.slot), result_);
                b_.CreateRet(b_.getTrue());
                break;
        }
    }

    Node* get(int slot) { return b_.CreateLoad(i64(), slots_[static_cast<size_t>(slot)]); }
    Node* getReal(int slot) { return b_.CreateBitCast(get(slot), b_.getDoubleTy()); }
    void set(int slot, Node* value) { b_.CreateStore(value, slots_[static_cast<size_t>(slot)]); }
    void setReal(int slot, Node* value) { set(slot, b_.CreateBitCast(value, i64())); }
    void setBit(int slot, Node* bit) { set(slot, b_.CreateZExt(bit, i64())); }

    Node* nullReal() { return real(null<double>); }
    Node* nullOf(Type type) {
        switch (storageOf(type)) {
            case Storage::Int8:
                return b_.getInt64(static_cast<uint64_t>(int64_t{null<int8_t>}));
            case Storage::Int16:
                return b_.getInt64(static_cast<uint64_t>(int64_t{null<int16_t>}));
            case Storage::Int32:
                return b_.getInt64(static_cast<uint64_t>(int64_t{null<int32_t>}));
            case Storage::Int64:
                return b_.getInt64(static_cast<uint64_t>(null<int64_t>));
            default:
                return b_.CreateBitCast(nullReal(), i64());
        }
    }
    Node* isNullNode(Type type, int slot) {
        if (isFloating(type)) return b_.CreateFCmpOEQ(getReal(slot), nullReal());
        return b_.CreateICmpEQ(get(slot), nullOf(type));
    }

    // `value`, or NULL in the rare case that the condition holds: a branch that the processor foresees is shorter on
    // the critical path than a conditional move.
    Node* unlessNull(Node* nulls, Node* nullValue, Node* value) {
        Node* result = b_.CreateSelect(nulls, nullValue, value);
        if (auto* select = llvm::dyn_cast<llvm::SelectInst>(result)) {
            llvm::MDBuilder weights(context_);
            select->setMetadata(llvm::LLVMContext::MD_prof, weights.createBranchWeights(1, 1'000'000));
        }
        return result;
    }

    // Goes on when the condition holds, and leaves through the exit otherwise.
    void check(Node* condition, int exitNumber) {
        auto* go = llvm::BasicBlock::Create(context_, "go", function_);
        auto* branch = b_.CreateCondBr(condition, go, exit(exitNumber));
        llvm::MDBuilder weights(context_);
        branch->setMetadata(llvm::LLVMContext::MD_prof, weights.createBranchWeights(1'000'000, 1));
        b_.SetInsertPoint(go);
    }

    llvm::BasicBlock* giveUp() {
        if (!giveUp_) {
            giveUp_ = llvm::BasicBlock::Create(context_, "giveUp", function_);
            llvm::IRBuilder<>(giveUp_).CreateRet(b_.getFalse());
        }
        return giveUp_;
    }

    llvm::BasicBlock* exit(int number) {
        if (number < 0) return giveUp();
        if (auto it = exitBlocks_.find(number); it != exitBlocks_.end()) return it->second;
        auto* block = llvm::BasicBlock::Create(context_, "exit", function_);
        exitBlocks_[number] = block;
        auto saved = b_.saveIP();
        b_.SetInsertPoint(block);
        const ScalarExit& exit = unit_.exits[static_cast<size_t>(number)];
        // Registers that name another one's vector come first, while that one still holds it.
        for (const WriteBack& w : exit.writes) {
            if (w.kind != WriteBack::Kind::Alias) continue;
            callHost(reinterpret_cast<void*>(&ScalarSupport::copy), b_.getVoidTy(), {place(w.place), place(w.source)});
        }
        for (const WriteBack& w : exit.writes) writeBack(w);
        b_.CreateRet(b_.getInt32(static_cast<uint32_t>(exit.pc)));
        b_.restoreIP(saved);
        return block;
    }

    void writeBack(const WriteBack& w) {
        Node* type = b_.getInt32(static_cast<uint32_t>(w.type));
        switch (w.kind) {
            case WriteBack::Kind::Alias:
                return;
            case WriteBack::Kind::Range:
            case WriteBack::Kind::Sequence:
                callHost(reinterpret_cast<void*>(&ScalarSupport::assignRange), b_.getVoidTy(),
                         {place(w.place), type, get(w.slot), get(w.slot + 1),
                          b_.getInt1(w.kind == WriteBack::Kind::Sequence)});
                return;
            case WriteBack::Kind::Plain:
                break;
        }
        bool plainBefore = plainInputs_.contains(w.place);
        if (!plainBefore) {
            callHost(reinterpret_cast<void*>(&ScalarSupport::assign), b_.getVoidTy(),
                     {place(w.place), type, get(w.slot)});
            return;
        }
        Node* value = place(w.place);
        b_.CreateStore(get(w.slot), value);
        b_.CreateStore(b_.getInt64(scalarTag(w.type)), b_.CreateConstGEP1_64(i64(), value, 1));
    }

    Node* place(Operand o) {
        return b_.CreateConstGEP1_64(i64(), spaceBases_[spaceOf(o)], static_cast<uint64_t>(indexOf(o)) * 2);
    }

    Node* callHost(void* function, llvm::Type* result, std::vector<Node*> arguments) {
        std::vector<llvm::Type*> types;
        for (Node* a : arguments) types.push_back(a->getType());
        auto* type = llvm::FunctionType::get(result, types, false);
        Node* address = b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(function)), pointer());
        return b_.CreateCall(type, address, arguments);
    }

    // `value` where the condition holds, which the processor is to foresee, and what `rare` makes where it does not.
    template <class Rare>
    Node* usually(Node* condition, Node* value, Rare rare) {
        llvm::BasicBlock* usual = b_.GetInsertBlock();
        auto* otherwise = llvm::BasicBlock::Create(context_, "rare", function_);
        auto* done = llvm::BasicBlock::Create(context_, "done", function_);
        auto* branch = b_.CreateCondBr(condition, done, otherwise);
        branch->setMetadata(llvm::LLVMContext::MD_prof, llvm::MDBuilder(context_).createBranchWeights(1'000'000, 1));
        b_.SetInsertPoint(otherwise);
        Node* rareValue = rare();
        b_.CreateBr(done);
        b_.SetInsertPoint(done);
        auto* result = b_.CreatePHI(value->getType(), 2);
        result->addIncoming(value, usual);
        result->addIncoming(rareValue, otherwise);
        return result;
    }
    Node* real(double x) { return llvm::ConstantFP::get(b_.getDoubleTy(), x); }
    Node* magnitude(Node* x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }

    // As RealFunction around the function of libm itself.
    void bareCall(const ScalarStep& s) {
        Node* x = getReal(s.arguments[0]);
        Node* y = pureCall(s.form->bare(), b_.getDoubleTy(), {x});
        const RealDomain& where = s.form->where;
        using P = llvm::CmpInst::Predicate;
        static constexpr P kSides[] = {P::FCMP_TRUE, P::FCMP_OGT, P::FCMP_OGE, P::FCMP_OLT, P::FCMP_OLE};
        Node* holds = b_.CreateFCmp(kSides[static_cast<int>(where.side)], where.ofMagnitude ? magnitude(x) : x,
                                    real(where.bound));
        Node* usual = b_.CreateAnd(holds, b_.CreateFCmpOLT(magnitude(y), real(DBL_MAX)));
        if (where.holds(null<double>)) usual = b_.CreateAnd(usual, b_.CreateFCmpOGT(x, nullReal()));
        setReal(s.out, usually(usual, y, [&] {
                    Node* isDefined = b_.CreateAnd(holds, b_.CreateAnd(finite(y), b_.CreateFCmpUNE(x, nullReal())));
                    return b_.CreateSelect(isDefined, y, nullReal());
                }));
    }

    // Of a function that reads nothing but its arguments, and throws nothing.
    llvm::CallInst* pureCall(const void* function, llvm::Type* result, std::vector<Node*> arguments) {
        auto* call = llvm::cast<llvm::CallInst>(callHost(const_cast<void*>(function), result, std::move(arguments)));
        call->setDoesNotAccessMemory();
        call->setDoesNotThrow();
        call->addFnAttr(llvm::Attribute::WillReturn);
        return call;
    }

    // The function's form for scalars.
    void formCall(const ScalarStep& s) {
        const ScalarForm& form = *s.form;
        if (form.bare) return bareCall(s);
        std::vector<Node*> arguments;
        for (size_t k = 0; k < form.count; ++k) {
            arguments.push_back(form.takes[k] == Type::Double ? getReal(s.arguments[k]) : get(s.arguments[k]));
        }
        const bool isReal = form.gives == Type::Double;
        Node* result = pureCall(form.code(), isReal ? b_.getDoubleTy() : i64(), std::move(arguments));
        if (form.mayDecline) check(b_.CreateFCmpORD(result, result), s.exit);
        if (isReal) {
            setReal(s.out, result);
        } else {
            set(s.out, result);
        }
    }

    // The call as the interpreter does it.
    void boxedCall(const ScalarStep& s) {
        llvm::BasicBlock& first = function_->getEntryBlock();
        llvm::IRBuilder<> top(&first, first.begin());
        auto* slots = top.CreateAlloca(i64(), b_.getInt32(static_cast<uint32_t>(s.arguments.size()) + 1));
        for (size_t k = 0; k < s.arguments.size(); ++k) {
            b_.CreateStore(get(s.arguments[k]), b_.CreateConstGEP1_64(i64(), slots, k));
        }
        Node* result = b_.CreateConstGEP1_64(i64(), slots, s.arguments.size());
        const BoxedCall* call = unit_.boxed[static_cast<size_t>(s.a)].get();
        Node* address = b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(call)), pointer());
        check(callHost(reinterpret_cast<void*>(&ScalarSupport::callBoxed), b_.getInt1Ty(),
                       {address, slots, result, run_}),
              s.exit);
        set(s.out, b_.CreateLoad(i64(), result));
    }

    void loadInputs() {
        items_.assign(static_cast<size_t>(unit_.vectors), nullptr);
        lengths_ = items_;
        auto* size = b_.CreateAlloca(i64());
        // Vectors that are written come first: making them writable may move their items.
        for (bool written : {true, false}) {
            for (const ScalarInput& input : unit_.inputs) {
                bool isWritten = input.kind == ScalarInput::Kind::WrittenVector;
                bool isVector = isWritten || input.kind == ScalarInput::Kind::Vector;
                if (!isVector || isWritten != written) continue;
                auto v = static_cast<size_t>(input.slot);
                items_[v] = callHost(reinterpret_cast<void*>(&ScalarSupport::items), pointer(),
                                     {place(input.place), b_.getInt1(written), size});
                lengths_[v] = b_.CreateLoad(i64(), size);
            }
        }
        for (const ScalarInput& input : unit_.inputs) {
            if (input.kind == ScalarInput::Kind::Plain) {
                plainInputs_.insert({input.place, true});
                set(input.slot, b_.CreateLoad(i64(), place(input.place)));
            } else if (input.kind == ScalarInput::Kind::Range) {
                Node* items = callHost(reinterpret_cast<void*>(&ScalarSupport::items), pointer(),
                                       {place(input.place), b_.getFalse(), size});
                for (int k = 0; k < 2; ++k) {
                    Node* item;
                    if (input.type == Type::Int) {
                        item = b_.CreateSExt(
                            b_.CreateLoad(b_.getInt32Ty(),
                                          b_.CreateConstGEP1_64(b_.getInt32Ty(), items, static_cast<uint64_t>(k))),
                            i64());
                        item = b_.CreateSelect(b_.CreateICmpEQ(item, nullOf(Type::Int)), nullOf(Type::Long), item);
                    } else {
                        item = b_.CreateLoad(i64(), b_.CreateConstGEP1_64(i64(), items, static_cast<uint64_t>(k)));
                    }
                    set(input.slot + k, item);
                }
            }
        }
    }

    // Integers in the width of their type, NULL when one of them is.
    void integer(const ScalarStep& s) {
        llvm::Type* lane = s.type == Type::Int ? b_.getInt32Ty() : i64();
        Node *wideA = get(s.a), *wideB = get(s.b);
        Node *a = b_.CreateTrunc(wideA, lane), *x = b_.CreateTrunc(wideB, lane);
        Node* nulls = b_.CreateOr(b_.CreateICmpEQ(wideA, nullOf(s.type)), b_.CreateICmpEQ(wideB, nullOf(s.type)));
        Node* shift = b_.CreateAnd(x, llvm::ConstantInt::get(lane, s.type == Type::Int ? 31 : 63));
        Node* r = nullptr;
        switch (s.op) {
            case ScalarOp::Add:
                r = b_.CreateAdd(a, x);
                break;
            case ScalarOp::Sub:
                r = b_.CreateSub(a, x);
                break;
            case ScalarOp::Mul:
                r = b_.CreateMul(a, x);
                break;
            case ScalarOp::BitAnd:
                r = b_.CreateAnd(a, x);
                break;
            case ScalarOp::BitOr:
                r = b_.CreateOr(a, x);
                break;
            case ScalarOp::BitXor:
                r = b_.CreateXor(a, x);
                break;
            case ScalarOp::ShiftLeft:
                r = b_.CreateShl(a, shift);
                break;
            case ScalarOp::ShiftRight:
                r = b_.CreateLShr(a, shift);
                break;
            default: {
                auto number = [&](int64_t n) { return llvm::ConstantInt::getSigned(lane, n); };
                Node* zero = b_.CreateICmpEQ(x, number(0));
                Node* minusOne = b_.CreateICmpEQ(x, number(-1));
                nulls = b_.CreateOr(nulls, zero);
                Node* divisor = b_.CreateSelect(b_.CreateOr(zero, minusOne), number(1), x);
                Node* q = b_.CreateSDiv(a, divisor);
                Node* m = b_.CreateSub(a, b_.CreateMul(q, divisor));
                Node* differ = b_.CreateICmpSLT(b_.CreateXor(m, divisor), number(0));
                Node* adjust = b_.CreateAnd(b_.CreateICmpNE(m, number(0)), differ);
                q = b_.CreateSub(q, b_.CreateZExt(adjust, lane));
                m = b_.CreateAdd(m, b_.CreateSelect(adjust, divisor, number(0)));
                r = s.op == ScalarOp::FloorDiv ? b_.CreateSelect(minusOne, b_.CreateNeg(a), q)
                                               : b_.CreateSelect(minusOne, number(0), m);
            }
        }
        set(s.out, unlessNull(nulls, nullOf(s.type), b_.CreateSExt(r, i64())));
    }

    Node* finite(Node* x) { return b_.CreateFCmpOLE(magnitude(x), real(DBL_MAX)); }

    Node* operation(ScalarOp op, Node* a, Node* x) {
        switch (op) {
            case ScalarOp::AddReal:
                return b_.CreateFAdd(a, x);
            case ScalarOp::SubReal:
                return b_.CreateFSub(a, x);
            case ScalarOp::MulReal:
                return b_.CreateFMul(a, x);
            default:
                return b_.CreateFDiv(a, x);
        }
    }

    // A result that is small, of operands that are above NULL, stands as it is; three comparisons that the processor
    // foresees say so. What is rare is decided apart.
    void arithmetic(const ScalarStep& s) {
        Node *a = getReal(s.a), *x = getReal(s.b);
        Node* r = operation(s.op, a, x);
        Node* isUsual = b_.CreateFCmpOLT(magnitude(r), real(DBL_MAX));
        for (Node* operand : {a, x}) isUsual = b_.CreateAnd(isUsual, b_.CreateFCmpOGT(operand, nullReal()));
        setReal(s.out, usually(isUsual, r, [&] {
                    Node* bad = b_.CreateOr(b_.CreateFCmpOEQ(a, nullReal()), b_.CreateFCmpOEQ(x, nullReal()));
                    bad = b_.CreateOr(bad, b_.CreateAnd(b_.CreateNot(finite(r)), b_.CreateAnd(finite(a), finite(x))));
                    if (s.op == ScalarOp::DivReal) bad = b_.CreateOr(bad, b_.CreateFCmpOEQ(x, real(0)));
                    return b_.CreateSelect(bad, nullReal(), r);
                }));
    }

    void comparison(const ScalarStep& s) {
        using P = llvm::CmpInst::Predicate;
        static constexpr P kIntegers[] = {P::ICMP_SLT, P::ICMP_SLE, P::ICMP_EQ, P::ICMP_SGT, P::ICMP_SGE, P::ICMP_NE};
        static constexpr P kReals[] = {P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OEQ, P::FCMP_OGT, P::FCMP_OGE, P::FCMP_UNE};
        if (s.op >= ScalarOp::LtReal) {
            P p = kReals[static_cast<int>(s.op) - static_cast<int>(ScalarOp::LtReal)];
            setBit(s.out, b_.CreateFCmp(p, getReal(s.a), getReal(s.b)));
        } else {
            P p = kIntegers[static_cast<int>(s.op) - static_cast<int>(ScalarOp::Lt)];
            setBit(s.out, b_.CreateICmp(p, get(s.a), get(s.b)));
        }
    }

    llvm::Type* itemType(Type type) {
        switch (storageOf(type)) {
            case Storage::Int8:
                return b_.getInt8Ty();
            case Storage::Int16:
                return b_.getInt16Ty();
            case Storage::Int32:
                return b_.getInt32Ty();
            case Storage::Float32:
                return b_.getFloatTy();
            default:
                return i64();
        }
    }

    // FLOAT items are held as DOUBLE.
    Node* fromFloat(Node* item) {
        Node* none = b_.CreateFCmpOEQ(item, llvm::ConstantFP::get(b_.getFloatTy(), null<float>));
        return b_.CreateBitCast(b_.CreateSelect(none, nullReal(), b_.CreateFPExt(item, b_.getDoubleTy())), i64());
    }
    Node* toFloat(int slot) {
        Node* item = b_.CreateFPTrunc(getReal(slot), b_.getFloatTy());
        return b_.CreateSelect(isNullNode(Type::Float, slot), llvm::ConstantFP::get(b_.getFloatTy(), null<float>),
                               item);
    }

    void element(const ScalarStep& s) {
        auto v = static_cast<size_t>(s.a);
        Node* at = get(s.b);
        Node* inside = b_.CreateICmpULT(at, lengths_[v]);
        if (s.op == ScalarOp::Store) inside = b_.CreateAnd(inside, b_.CreateIsNotNull(items_[v]));
        check(inside, s.exit);
        llvm::Type* type = itemType(s.type);
        Node* address = b_.CreateGEP(type, items_[v], at);
        const bool isFloat = s.type == Type::Float;
        if (s.op == ScalarOp::Load) {
            Node* item = b_.CreateLoad(type, address);
            set(s.out, isFloat ? fromFloat(item) : b_.CreateSExtOrBitCast(item, i64()));
        } else if (isFloat) {
            b_.CreateStore(toFloat(s.out), address);
        } else {
            b_.CreateStore(b_.CreateTruncOrBitCast(get(s.out), type), address);
        }
    }

    void call(const ScalarStep& s) {
        std::vector<Node*> arguments;
        for (int slot : s.arguments) arguments.push_back(get(slot));
        llvm::BasicBlock& first = function_->getEntryBlock();
        llvm::IRBuilder<> top(&first, first.begin());
        auto* result = top.CreateAlloca(i64());
        arguments.push_back(result);
        arguments.push_back(run_);
        arguments.push_back(depth_ ? b_.CreateAdd(depth_, b_.getInt32(1)) : b_.getInt32(0));
        check(b_.CreateCall(functions_[static_cast<size_t>(s.a)], arguments), s.exit);
        set(s.out, b_.CreateLoad(i64(), result));
    }

    void range(const ScalarStep& s) {
        Node *from = get(s.a), *to = get(s.a + 1);
        Node* up = b_.CreateICmpSLE(from, to);
        if (s.op == ScalarOp::RangeCount || s.op == ScalarOp::SequenceCount) {
            Node* count = b_.CreateSelect(up, b_.CreateSub(to, from), b_.CreateSub(from, to));
            set(s.out, s.op == ScalarOp::RangeCount ? count : b_.CreateAdd(count, b_.getInt64(1)));
            return;
        }
        Node* p = get(s.b);
        Node* down = b_.CreateSub(from, p);
        if (s.op == ScalarOp::RangeItem) down = b_.CreateSub(down, b_.getInt64(1));
        set(s.out, b_.CreateSelect(up, b_.CreateAdd(from, p), down));
    }

    Node* isNotZero(const ScalarStep& s) {
        return isFloating(s.type) ? b_.CreateFCmpUNE(getReal(s.a), real(0)) : b_.CreateICmpNE(get(s.a), b_.getInt64(0));
    }

    void step(const ScalarStep& s) {
        switch (s.op) {
            case ScalarOp::Constant:
                set(s.out, b_.getInt64(static_cast<uint64_t>(s.immediate)));
                return;
            case ScalarOp::Next:
                set(s.out, b_.CreateAdd(get(s.a), b_.getInt64(1)));
                return;
            case ScalarOp::Copy:
                set(s.out, get(s.a));
                return;
            case ScalarOp::Negate: {
                llvm::Type* lane = s.type == Type::Int ? b_.getInt32Ty() : i64();
                set(s.out, b_.CreateSExt(b_.CreateNeg(b_.CreateTrunc(get(s.a), lane)), i64()));
                return;
            }
            case ScalarOp::NegateReal: {
                Node* a = getReal(s.a);
                setReal(s.out, b_.CreateSelect(isNullNode(Type::Double, s.a), nullReal(), b_.CreateFNeg(a)));
                return;
            }
            case ScalarOp::And: {
                Node* nulls = b_.CreateOr(isNullNode(Type::Bool, s.a), isNullNode(Type::Bool, s.b));
                set(s.out, b_.CreateSelect(nulls, nullOf(Type::Bool), b_.CreateAnd(get(s.a), get(s.b))));
                return;
            }
            case ScalarOp::OrOfKnown: {
                Node* nulls = b_.CreateOr(isNullNode(Type::Bool, s.a), isNullNode(Type::Bool, s.b));
                set(s.out, b_.CreateSelect(nulls, nullOf(Type::Bool), b_.CreateOr(get(s.a), get(s.b))));
                return;
            }
            case ScalarOp::Or: {
                Node *a = get(s.a), *x = get(s.b);
                Node* both = b_.CreateSelect(isNullNode(Type::Bool, s.b), a, b_.CreateOr(a, x));
                set(s.out, b_.CreateSelect(isNullNode(Type::Bool, s.a), x, both));
                return;
            }
            case ScalarOp::Not: {
                Node* r = b_.CreateZExt(b_.CreateICmpEQ(get(s.a), b_.getInt64(0)), i64());
                set(s.out, b_.CreateSelect(isNullNode(Type::Bool, s.a), nullOf(Type::Bool), r));
                return;
            }
            case ScalarOp::ToInt:
                set(s.out, unlessNull(isNullNode(s.type, s.a), nullOf(Type::Int), get(s.a)));
                return;
            case ScalarOp::ToLong:
                set(s.out, unlessNull(isNullNode(s.type, s.a), nullOf(Type::Long), get(s.a)));
                return;
            case ScalarOp::ToBool: {
                Node* nulls = isNullNode(s.type, s.a);
                set(s.out, b_.CreateSelect(nulls, nullOf(Type::Bool), b_.CreateZExt(isNotZero(s), i64())));
                return;
            }
            case ScalarOp::Absolute: {
                llvm::Type* lane = s.type == Type::Int ? b_.getInt32Ty() : i64();
                Node* x = b_.CreateTrunc(get(s.a), lane);
                Node* negative = b_.CreateICmpSLT(x, llvm::ConstantInt::get(lane, 0));
                set(s.out, b_.CreateSExt(b_.CreateSelect(negative, b_.CreateNeg(x), x), i64()));
                return;
            }
            case ScalarOp::AbsoluteReal: {
                Node* positive = magnitude(getReal(s.a));
                setReal(s.out, usually(b_.CreateFCmpOLT(positive, real(DBL_MAX)), positive, [&] {
                            return b_.CreateSelect(isNullNode(Type::Double, s.a), nullReal(), positive);
                        }));
                return;
            }
            case ScalarOp::SquareRoot: {
                // NULL is negative, too.
                Node* x = getReal(s.a);
                Node* root = b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x);
                setReal(s.out, usually(b_.CreateFCmpOGE(x, real(0)), root, [&] { return nullReal(); }));
                return;
            }
            case ScalarOp::Select: {
                Node* chosen =
                    b_.CreateSelect(b_.CreateICmpEQ(get(s.a), b_.getInt64(1)), get(s.b), get(s.arguments[0]));
                set(s.out, unlessNull(isNullNode(Type::Bool, s.a), nullOf(s.type), chosen));
                return;
            }
            case ScalarOp::ToReal:
                setReal(s.out,
                        unlessNull(isNullNode(s.type, s.a), nullReal(), b_.CreateSIToFP(get(s.a), b_.getDoubleTy())));
                return;
            case ScalarOp::IsNull:
                setBit(s.out, isNullNode(s.type, s.a));
                return;
            case ScalarOp::IsTrue:
                setBit(s.out, b_.CreateAnd(isNotZero(s), b_.CreateNot(isNullNode(s.type, s.a))));
                return;
            case ScalarOp::Function:
                formCall(s);
                return;
            case ScalarOp::Boxed:
                boxedCall(s);
                return;
            case ScalarOp::Length:
                set(s.out, lengths_[static_cast<size_t>(s.a)]);
                return;
            case ScalarOp::Load:
            case ScalarOp::Store:
                element(s);
                return;
            case ScalarOp::Guard:
                check(b_.CreateICmpEQ(get(s.a), b_.getInt64(1)), s.exit);
                return;
            case ScalarOp::Call:
                call(s);
                return;
            case ScalarOp::RangeItem:
            case ScalarOp::RangeCount:
            case ScalarOp::SequenceItem:
            case ScalarOp::SequenceCount:
                range(s);
                return;
            default:
                break;
        }
        if (s.op >= ScalarOp::Lt && s.op <= ScalarOp::NeReal) {
            comparison(s);
        } else if (s.op >= ScalarOp::AddReal && s.op <= ScalarOp::DivReal) {
            arithmetic(s);
        } else {
            integer(s);
        }
    }

    const ScalarUnit& unit_;
    llvm::Module& module_;
    llvm::LLVMContext& context_;
    llvm::IRBuilder<> b_;
    std::vector<llvm::Function*> functions_;
    // of the function being built
    llvm::Function* function_ = nullptr;
    std::vector<Node*> slots_;
    std::vector<llvm::BasicBlock*> blocks_;
    std::unordered_map<int, llvm::BasicBlock*> exitBlocks_;
    llvm::BasicBlock* giveUp_ = nullptr;
    Node* spaceBases_[4] = {};
    Node* run_ = nullptr;
    Node* cancelled_ = nullptr;
    Node* result_ = nullptr;
    Node* depth_ = nullptr;
    std::vector<Node*> items_, lengths_;
    std::unordered_map<Operand, bool> plainInputs_;
};

}  // namespace

}  // namespace pelorus

extern "C" pelorus::ScalarEntry pelorusCompileEntry(const pelorus::ScalarUnit* unit) {
    pelorus::CodeModule code;
    if (!code.ok()) return nullptr;
    return reinterpret_cast<pelorus::ScalarEntry>(
        code.compile(pelorus::UnitBuilder(*unit, code.module()).buildEntry()));
}

extern "C" pelorus::ScalarCall pelorusCompileCall(const pelorus::ScalarUnit* unit) {
    pelorus::CodeModule code;
    if (!code.ok()) return nullptr;
    return reinterpret_cast<pelorus::ScalarCall>(code.compile(pelorus::UnitBuilder(*unit, code.module()).buildCall()));
}
