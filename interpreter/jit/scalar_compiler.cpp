// Scalar code as machine code: slots become registers, exits store them back.
#include <unordered_map>

#include "interpreter/bytecode/scalar_code.h"
#include "interpreter/codegen/boxed_call.h"
#include "interpreter/jit/code_module.h"
#include "interpreter/jit/scalar_operations.h"

namespace pelorus {

namespace {

class UnitBuilder : ScalarOperations {
public:
    UnitBuilder(const ScalarUnit& unit, llvm::Module& module)
        : ScalarOperations(module.getContext()), unit_(unit), module_(module) {}

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
            callHost(reinterpret_cast<void*>(unit_.support->copy), b_.getVoidTy(), {place(w.place), place(w.source)});
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
                callHost(reinterpret_cast<void*>(unit_.support->assignRange), b_.getVoidTy(),
                         {place(w.place), type, get(w.slot), get(w.slot + 1),
                          b_.getInt1(w.kind == WriteBack::Kind::Sequence)});
                return;
            case WriteBack::Kind::Plain:
                break;
        }
        bool plainBefore = plainInputs_.contains(w.place);
        if (!plainBefore) {
            callHost(reinterpret_cast<void*>(unit_.support->assign), b_.getVoidTy(),
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
        check(
            callHost(reinterpret_cast<void*>(unit_.support->callBoxed), b_.getInt1Ty(), {address, slots, result, run_}),
            s.exit);
        set(s.out, b_.CreateLoad(i64(), result));
    }

    void loadInputs() {
        items_.assign(static_cast<size_t>(unit_.vectors), nullptr);
        lengths_ = items_;
        writable_ = items_;
        auto* sizes = b_.CreateAlloca(i64(), b_.getInt32(2));
        // Vectors that are written come first: making them writable may move their elements.
        for (bool written : {true, false}) {
            for (const ScalarInput& input : unit_.inputs) {
                bool isWritten = input.kind == ScalarInput::Kind::WrittenVector;
                bool isVector = isWritten || input.kind == ScalarInput::Kind::Vector;
                if (!isVector || isWritten != written) continue;
                auto v = static_cast<size_t>(input.slot);
                items_[v] = callHost(reinterpret_cast<void*>(unit_.support->elements), pointer(),
                                     {place(input.place), b_.getInt1(written), sizes});
                lengths_[v] = b_.CreateLoad(i64(), sizes);
                writable_[v] = b_.CreateLoad(i64(), b_.CreateConstGEP1_64(i64(), sizes, 1));
            }
        }
        for (const ScalarInput& input : unit_.inputs) {
            if (input.kind == ScalarInput::Kind::Plain) {
                plainInputs_.insert({input.place, true});
                set(input.slot, b_.CreateLoad(i64(), place(input.place)));
            } else if (input.kind == ScalarInput::Kind::Range) {
                Node* items = callHost(reinterpret_cast<void*>(unit_.support->elements), pointer(),
                                       {place(input.place), b_.getFalse(), sizes});
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

    llvm::Type* elementType(Type type) {
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

    void element(const ScalarStep& s) {
        auto v = static_cast<size_t>(s.a);
        Node* at = get(s.b);
        check(b_.CreateICmpULT(at, s.op == ScalarOp::Store ? writable_[v] : lengths_[v]), s.exit);
        llvm::Type* type = elementType(s.type);
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

    void step(const ScalarStep& s) {
        switch (s.op) {
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
            default:
                ScalarOperations::step(s);
        }
    }

    const ScalarUnit& unit_;
    llvm::Module& module_;
    std::vector<llvm::Function*> functions_;
    // The blocks of the function that is being built.
    std::vector<llvm::BasicBlock*> blocks_;
    std::unordered_map<int, llvm::BasicBlock*> exitBlocks_;
    llvm::BasicBlock* giveUp_ = nullptr;
    Node* spaceBases_[4] = {};
    Node* run_ = nullptr;
    Node* cancelled_ = nullptr;
    Node* result_ = nullptr;
    Node* depth_ = nullptr;
    std::vector<Node*> items_, lengths_, writable_;  // one for each vector; see ScalarSupport::elements
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
