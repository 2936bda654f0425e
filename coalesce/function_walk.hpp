// SPDX-License-Identifier: Apache-2.0
#pragma once
// One walk over the body of a function (analysis.hpp).
#include "analysis.hpp"
#include "shared_memory.hpp"

#include <map>

namespace rhizome::coalesce {

class function_walk {
public:
    function_walk(analysis& whole, clang::FunctionDecl const& function, entry const& arrives);

    /// Walks until nothing changes. The findings are those of the last walk.
    findings run();

private:
    // statements (walk_statements.cpp)
    void walk(clang::Stmt const* statement);
    void walk_if(clang::IfStmt const& branch);
    void walk_switch(clang::SwitchStmt const& choice);
    void walk_loop(clang::Stmt const& loop, clang::Stmt const* start, clang::Expr const* condition,
                   clang::Expr const* step, clang::Stmt const* body);
    void walk_declaration(clang::VarDecl const& variable);
    void leave(uniformity& by);
    uniformity control() const;

    // expressions (walk_expressions.cpp)
    uniformity value(clang::Expr const* expression);
    uniformity operation(clang::BinaryOperator const& operation);
    uniformity conditional(clang::AbstractConditionalOperator const& choice);
    uniformity conversion(clang::CastExpr const& cast);
    uniformity construction(clang::CXXConstructExpr const& made);
    uniformity each_operand(clang::Stmt const& expression);
    bool divides_into_warps(clang::BinaryOperator const& operation) const;
    bool is_constant(clang::Expr const* expression) const;
    bool is_null(clang::Expr const* pointer) const;

    // variables and memory (walk_places.cpp)
    uniformity load(clang::Expr const* place);
    void store(clang::Expr const* place, uniformity const& stored);
    void escape(clang::Expr const* place);
    void drop(clang::Expr const* expression);
    bool load_shared(clang::VarDecl const& variable);
    void store_shared(clang::VarDecl const& variable);

    // members of local variables (walk_fields.cpp)
    bool has_fields(clang::VarDecl const& variable) const;
    bool is_field(clang::MemberExpr const& member) const;
    uniformity load_field(clang::MemberExpr const& member);
    uniformity load_fields(clang::VarDecl const& variable);
    void store_field(clang::MemberExpr const& member, uniformity const& stored);
    void raise_field(clang::VarDecl const& variable, clang::FieldDecl const& field, uniformity const& to);
    void declare_fields(clang::VarDecl const& variable);
    bool copy_fields(clang::VarDecl const& to, clang::VarDecl const& from);
    bool assign_object(clang::CallExpr const& called);
    bool is_assigned_first(clang::VarDecl const& variable, clang::FieldDecl const* field) const;

    // what was just stored to memory (walk_stored.cpp)
    bool is_own_variable(clang::Expr const* place) const;
    bool is_steady_value(clang::Expr const* expression) const;
    bool is_steady_place(clang::Expr const* place) const;
    void remember(clang::BinaryOperator const& assignment, uniformity const& stored);
    void remember(clang::CXXCtorInitializer const& member, uniformity const& stored);
    std::optional<uniformity> recall(clang::Expr const* place) const;
    void forget_what_a_store_may_change(clang::Expr const* place);
    void forget() { stored_.clear(); }
    void note_escaped(clang::VarDecl const& variable);

    // calls (walk_calls.cpp)
    uniformity call(clang::CallExpr const& called);
    uniformity known(known_call kind, clang::CallExpr const& called, uniformity const& arguments);
    uniformity new_memory(clang::CallExpr const& called, uniformity const& arguments);
    bool names_all_lanes(clang::CallExpr const& called) const;
    void together(level needed, clang::CallExpr const& called);
    uniformity unknown_call(clang::SourceLocation where, std::string text);
    uniformity body_of(call_site const& called, clang::FunctionDecl const& callee, entry arriving);
    void implicit_body(clang::FunctionDecl const* function, clang::SourceLocation where);
    void destroy(clang::QualType type, clang::SourceLocation where);
    uniformity lambda(clang::LambdaExpr const& made);
    uniformity creation(clang::CXXNewExpr const& made);
    uniformity deletion(clang::CXXDeleteExpr const& deleted);

    void raise(clang::VarDecl const& variable, uniformity const& to);
    static bool raise(uniformity& known, uniformity const& to);
    void hazard(clang::SourceLocation where, std::string text);

    /// What a place in memory holds, as long as control flow is straight and nothing else may be stored
    /// there.
    struct stored_value {
        clang::Expr const* place;
        uniformity value;
    };
    /// Code that not all paths run: if it stores or calls, nothing is known of memory behind it.
    class maybe {
    public:
        explicit maybe(function_walk& walk) : walk_(walk), changes_(walk.changes_) {}
        ~maybe() {
            if (walk_.changes_ != changes_) walk_.forget();
        }
        maybe(maybe const&) = delete;
        maybe& operator=(maybe const&) = delete;

    private:
        function_walk& walk_;
        int changes_;
    };

    /// Raises the control flow for as long as it lives.
    class under {
    public:
        under(function_walk& walk, uniformity const& condition) : walk_(walk), before_(walk.branches_) {
            walk.branches_.join(as_control(condition));
        }
        ~under() { walk_.branches_ = before_; }
        under(under const&) = delete;
        under& operator=(under const&) = delete;

    private:
        function_walk& walk_;
        uniformity before_;
    };

    analysis& whole_;
    clang::ASTContext& context_;
    clang::FunctionDecl const& function_;
    entry const& arrives_;
    findings found_;
    std::map<clang::VarDecl const*, uniformity> variables_;
    std::map<std::pair<clang::VarDecl const*, clang::FieldDecl const*>, uniformity>
        fields_; // beside the entry of the whole variable, which holds for all of its members
    std::vector<stored_value> stored_;
    std::set<clang::VarDecl const*> escaped_; // local variables to which pointers or references exist
    bool changed_ = false;
    uniformity branches_;  // of the statements around the present one
    uniformity returned_;  // control flow at the returns so far
    uniformity broken_;    // at the breaks of the innermost loop or switch so far
    uniformity continued_; // at the continues of the innermost loop so far, in this round
    int atomic_accesses_ = 0;
    bool may_be_skipped_ = false;               // what is constructed: memory for it may have been refused
    int changes_ = 0;                           // stores and calls
    std::set<clang::VarDecl const*> shared_;    // those whose accesses are all seen
    std::set<clang::VarDecl const*> unsettled_; // of these: loaded and stored between the same barriers
    shared_interval interval_;                  // since the last barrier
    shared_interval left_;                      // at breaks, continues and returns so far
    shared_interval chosen_;                    // at the beginning of the innermost switch
    shared_interval entered_;                   // at the end of an earlier call of this function
};

} // namespace rhizome::coalesce
