// Implements typestr.
#include "runtime/registry/registry.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "runtime/value/tensor.h"

namespace pelorus {

static std::string vectorPrefix(Type type) {
    return type == Type::String || type == Type::Blob || type == Type::Any ? "" : "FAST ";
}

std::string typeString(const Value& value) {
    std::string name(typeName(value.type()));
    switch (value.form()) {
        case Form::Scalar:
            if (value.isFunction()) {
                return dynamic_cast<const BuiltinFunction*>(&value.function()) ? "SYSTEM FUNCTION" : "FUNCTIONDEF";
            }
            if (const Tensor* tensor = asTensor(value)) return std::string(typeName(tensor->cells->type())) + " TENSOR";
            return name;
        case Form::Vector:
            if (columnType(value) == Type::IotAny) return "IOTANY VECTOR";
            if (value.type() == Type::Void) return "VOID VECTOR";
            if (value.type() == Type::Compress) return "HUGE COMPRESSED VECTOR";
            if (value.isTypedVector() && value.vector().isBig()) return "HUGE " + name + " VECTOR";
            return vectorPrefix(value.type()) + name + " VECTOR";
        case Form::Pair:
            return name + " PAIR";
        case Form::Matrix:
            return vectorPrefix(value.type()) + name + " MATRIX";
        case Form::Set:
            return name + " SET";
        case Form::Dictionary: {
            const Dictionary& dictionary = value.dictionary();
            return std::string(typeName(dictionary.keyType())) + "->" + std::string(typeName(dictionary.valueType())) +
                   " DICTIONARY";
        }
        case Form::Table: {
            PartitionedTable* partitioned = value.table().asPartitioned();
            if (!partitioned) {
                auto* memory = asMemoryTable(value);
                return memory && memory->stream ? "STREAMING TABLE" : "IN-MEMORY TABLE";
            }
            return partitioned->databasePath().empty() ? "SEGMENTED IN-MEMORY TABLE" : "SEGMENTED DFS TABLE";
        }
        case Form::Chart:
            return "CHART";
        default:
            return name;
    }
}

}  // namespace pelorus
