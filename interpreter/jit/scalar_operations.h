// ScalarOperations builds the LLVM instructions for the operations of scalar code on slots: each computes what
// runtime/kernel/block/scalar_arithmetic.h does.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <cfloat>
#include <vector>

#include "interpreter/bytecode/scalar_code.h"

namespace pelorus {

// The base class of the generator, with the operations that need slots only.
class ScalarOperations {
protected:
    using Node = llvm::Value;

    explicit ScalarOperations(llvm::LLVMContext& context) : context_(context), b_(context) {}

    // Builds a step that needs slots only: it neither leaves nor calls functions that may fail.
    void step(const ScalarStep& s);

    llvm::Type* pointer() { return llvm::PointerType::getUnqual(context_); }
    llvm::Type* i64() { return b_.getInt64Ty(); }
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

    // Returns `value`, or NULL in the rare case that the condition holds: a well-predicted branch is shorter on the
    // critical path than a conditional move.
    Node* unlessNull(Node* nulls, Node* nullValue, Node* value) {
        Node* result = b_.CreateSelect(nulls, nullValue, value);
        if (auto* select = llvm::dyn_cast<llvm::SelectInst>(result)) {
            llvm::MDBuilder weights(context_);
            select->setMetadata(llvm::LLVMContext::MD_prof, weights.createBranchWeights(1, 1'000'000));
        }
        return result;
    }
    Node* real(double x) { return llvm::ConstantFP::get(b_.getDoubleTy(), x); }
    Node* magnitude(Node* x) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
    Node* finite(Node* x) { return b_.CreateFCmpOLE(magnitude(x), real(DBL_MAX)); }

    Node* isNotZero(const ScalarStep& s) {
        return isFloating(s.type) ? b_.CreateFCmpUNE(getReal(s.a), real(0)) : b_.CreateICmpNE(get(s.a), b_.getInt64(0));
    }

    Node* callHost(void* function, llvm::Type* result, std::vector<Node*> arguments) {
        std::vector<llvm::Type*> types;
        for (Node* a : arguments) types.push_back(a->getType());
        auto* type = llvm::FunctionType::get(result, types, false);
        Node* address = b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<uint64_t>(function)), pointer());
        return b_.CreateCall(type, address, arguments);
    }

    // Calls a function that reads nothing but its arguments, and throws nothing.
    llvm::CallInst* pureCall(const void* function, llvm::Type* result, std::vector<Node*> arguments) {
        auto* call = llvm::cast<llvm::CallInst>(callHost(const_cast<void*>(function), result, std::move(arguments)));
        call->setDoesNotAccessMemory();
        call->setDoesNotThrow();
        call->addFnAttr(llvm::Attribute::WillReturn);
        return call;
    }

    // Returns `value` when the condition holds, which the processor is expected to predict, and the result of `rare`
    // otherwise.
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

    // FLOAT elements are held as DOUBLE.
    Node* fromFloat(Node* item) {
        Node* none = b_.CreateFCmpOEQ(item, llvm::ConstantFP::get(b_.getFloatTy(), null<float>));
        return b_.CreateBitCast(b_.CreateSelect(none, nullReal(), b_.CreateFPExt(item, b_.getDoubleTy())), i64());
    }

    Node* toFloat(int slot) {
        Node* item = b_.CreateFPTrunc(getReal(slot), b_.getFloatTy());
        return b_.CreateSelect(isNullNode(Type::Float, slot), llvm::ConstantFP::get(b_.getFloatTy(), null<float>),
                               item);
    }

    // Does what RealFunction does, but calls the function of libm itself: checks the domain and that the result is
    // finite.
    void bareCall(const ScalarStep& s);

    llvm::LLVMContext& context_;
    llvm::IRBuilder<> b_;
    // The function that is being built.
    llvm::Function* function_ = nullptr;
    std::vector<Node*> slots_;

private:
    // Builds an integer operation in the width of its type, NULL when an operand is NULL.
    void integer(const ScalarStep& s);
    Node* operation(ScalarOp op, Node* a, Node* x);
    // Builds arithmetic: a finite result of operands above NULL is used as it is; the three comparisons that decide
    // this are well predicted. Rare cases are handled separately.
    void arithmetic(const ScalarStep& s);
    void comparison(const ScalarStep& s);
    void range(const ScalarStep& s);
};

}  // namespace pelorus
