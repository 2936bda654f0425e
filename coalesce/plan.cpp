// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include "escape.hpp"
#include "releases.hpp"
#include "rewritable.hpp"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>

namespace rhizome::coalesce {
namespace {

using function = clang::FunctionDecl const*;

bool at_most(uniformity const& one, uniformity const& other) {
    return one.alike <= other.alike && one.truth() <= other.truth();
}

bool arrives_within(entry const& one, entry const& other) {
    if (!at_most(one.control, other.control) || one.arguments.size() != other.arguments.size()) return false;
    if (other.one_dimensional && !one.one_dimensional) return false;
    if (other.fields_are_uniform && !one.fields_are_uniform) return false;
    if (other.is_told && !one.is_told) return false;
    return std::equal(one.arguments.begin(), one.arguments.end(), other.arguments.begin(), at_most);
}

entry joined(entry one, entry const& other) {
    one.control.join(other.control);
    for (std::size_t i = 0; i < one.arguments.size(); ++i)
        one.arguments[i].join(other.arguments[i]);
    one.one_dimensional = one.one_dimensional && other.one_dimensional;
    one.is_told = one.is_told && other.is_told;
    one.fields_are_uniform = false;
    return one;
}

class planner {
public:
    planner(clang::ASTContext& context, program const& whole, plan_options const& options,
            supposed_plan const& supposed)
        : context_(context), sources_(context.getSourceManager()), whole_(whole), options_(options),
          analysis_(context, options.stated, supposed) {}

    plan make() {
        note_kinds();
        analyse_kernels();
        find_told_functions();
        accept_calls();
        for (bool const untold : {false, true})
            for (allocator_call const& one : whole_.allocations)
                if (is_untold(one) == untold) decide(one, untold);
        for (clang::SourceLocation const where : whole_.pending)
            decide_template(where);
        settle_releases();
        drop_unused_arguments();
        tell_registered();
        finish();
        return std::move(made_);
    }

private:
    struct outcome { // of one call in one instance of its function
        bool is_static = false;
        bool by_argument = false;
        scope covers = scope::block;
        std::string reason;
        clang::SourceLocation because;
    };

    // Instances of one template may call different functions at one place, by the types of arguments.
    void note_kinds() {
        for (auto const& [callee, calls] : whole_.calls)
            for (call_site const& call : calls)
                if (call.as_call() != nullptr)
                    kinds_[call.expression().getExprLoc()].insert(
                        llvm::isa<clang::CXXMemberCallExpr>(call.as_call())
                            ? known_call::none
                            : classify(*callee, {}, sources_));
    }

    bool calls_one_function(clang::SourceLocation where) const {
        auto const kinds = kinds_.find(where);
        return kinds == kinds_.end() || kinds->second.size() <= 1;
    }

    void analyse_kernels() {
        for (function const kernel : whole_.kernels) {
            entry arrives;
            arrives.is_told = true;
            arrives.arguments.resize(kernel->getNumParams());
            arrives.one_dimensional =
                options_.stated.one_dimensional_blocks || whole_.one_dimensional.count(kernel) != 0;
            if (is_rhizome_kernel(*kernel)) {
                arrives.fields_are_uniform = llvm::cast<clang::CXXMethodDecl>(kernel)->isConst();
                arrives.arguments[0] = differs(kernel->getLocation(), "the thread", true);
            }
            entries_[kernel] = arrives;
            findings const& found = analysis_.of(*kernel, arrives);
            if (whole_.called_directly.count(kernel) != 0)
                hazards_[kernel] =
                    cause{kernel->getLocation(), "a call operator that other code calls directly"};
            else if (found.hazard)
                hazards_[kernel] = *found.hazard;
            note_reached(found, hazards_.count(kernel) != 0 ? &hazards_[kernel] : nullptr, {});
        }
    }

    // Remembers for each function that a kernel reaches one finding, for the reasons that are reported.
    void note_reached(findings const& found, cause const* hazard, std::set<function> seen) {
        for (reached_call const& call : found.calls) {
            if (!seen.insert(call.callee).second) continue;
            if (hazard != nullptr) reached_with_hazard_.emplace(call.callee, *hazard);
            findings const& inner = analysis_.of(*call.callee, call.arrives);
            for (reached_allocation const& one : inner.allocations)
                if (seen_allocations_.size() < 100000) seen_allocations_.emplace(one.call, verdict(one));
            note_reached(inner, hazard, seen);
        }
    }

    // May a call that is this uniform become static, and for which threads?
    outcome verdict(reached_allocation const& one) const {
        outcome of;
        uniformity all = one.control;
        all.join(as_control(one.arguments));
        bool const by_control = one.control.alike >= all.alike && one.control.alike != level::block;
        bool const wants_block = options_.wanted == scope_choice::block;
        level const needed = wants_block ? level::block : level::warp;
        char const* const group = wants_block ? "block" : "warp";
        if (all.alike <= needed) {
            of.is_static = true;
            bool const is_block = all.alike == level::block && options_.wanted != scope_choice::warp;
            of.covers = is_block ? scope::block : scope::warp;
            of.reason = is_block ? "all threads of the block reach it with the same size"
                                 : "all lanes of the warp reach it with the same size";
            return of;
        }
        of.because = all.why.where;
        of.reason = by_control ? std::string("not all threads of the ") + group +
                                     " need reach it: a branch depends on "
                               : std::string("its arguments may differ in a ") + group + ": they depend on ";
        of.reason += all.why.text;
        return of;
    }

    bool is_useful(function callee, entry const& arrives) {
        findings const& found = analysis_.of(*callee, arrives);
        if (found.hazard) return false;
        for (reached_allocation const& one : found.allocations)
            if (verdict(one).is_static) return true;
        return std::any_of(found.calls.begin(), found.calls.end(), [&](reached_call const& inner) {
            return may_tell(inner) && is_useful(inner.callee, inner.arrives);
        });
    }

    bool may_tell(reached_call const& call) {
        level const needed = options_.wanted == scope_choice::block ? level::block : level::warp;
        return call.arrives.control.alike <= needed && !why_not_told(context_, whole_, *call.callee) &&
               is_editable_call(context_, call.call);
    }

    std::vector<std::pair<function, entry>> sources_of_calls() const {
        std::vector<std::pair<function, entry>> all;
        for (function const kernel : whole_.kernels)
            if (hazards_.count(kernel) == 0) all.emplace_back(kernel, entries_.at(kernel));
        for (auto const& [callee, arrives] : told_)
            all.emplace_back(callee, arrives);
        return all;
    }

    // A function is told by its callers whether all of their threads call it. It is analysed for all calls
    // that say so.
    void find_told_functions() {
        for (int round = 0; round < 64; ++round) {
            std::map<function, entry> next;
            for (auto const& [source, arrives] : sources_of_calls())
                for (reached_call const& call : analysis_.of(*source, arrives).calls) {
                    if (!may_tell(call) || !is_useful(call.callee, call.arrives)) continue;
                    auto const [place, is_first] = next.try_emplace(call.callee, call.arrives);
                    if (is_first) continue;
                    entry both = joined(place->second, call.arrives);
                    if (is_useful(call.callee, both)) place->second = std::move(both);
                }
            bool const is_stable =
                next.size() == told_.size() &&
                std::equal(next.begin(), next.end(), told_.begin(), [](auto const& a, auto const& b) {
                    return a.first == b.first && arrives_within(a.second, b.second) &&
                           arrives_within(b.second, a.second);
                });
            told_ = std::move(next);
            if (is_stable) return;
        }
        told_.clear(); // no decision is a safe one
    }

    // Calls by place: instances of one template share it, and it is rewritten once for all of them.
    void accept_calls() {
        std::set<call_site> rejected;
        for (auto const& [source, arrives] : sources_of_calls())
            for (reached_call const& call : analysis_.of(*source, arrives).calls) {
                auto const told = told_.find(call.callee);
                if (told == told_.end() || !may_tell(call) || !arrives_within(call.arrives, told->second)) {
                    rejected.insert(call.call); // a default argument, say, is reached in several ways
                    continue;
                }
                accepted_.insert(call.call);
                around_[call.call] = source;
            }
        for (call_site const& call : rejected)
            accepted_.erase(call);
        std::map<clang::SourceLocation, std::vector<call_site>> at;
        for (auto const& [callee, calls] : whole_.calls)
            for (call_site const& call : calls)
                at[call.begin()].push_back(call);
        for (auto const& [where, calls] : at) {
            bool all = true;
            clang::SourceLocation first_target;
            for (call_site const& call : calls) {
                if (call.callee_begin() != calls.front().callee_begin()) continue;
                if (accepted_.count(call) == 0) all = is_of_pattern(call) && all;
                clang::SourceLocation const target = call.callee()->getLocation();
                if (first_target.isInvalid()) first_target = target;
                all = all && first_target == target;
            }
            if (!all)
                for (call_site const& call : calls)
                    accepted_.erase(call);
        }
    }

    // A call written in a template: its instances decide.
    bool is_of_pattern(call_site const& call) const {
        function const around = function_holding(context_, call.expression());
        return around != nullptr && around->isDependentContext();
    }

    outcome outcome_of(allocator_call const& one) {
        outcome of;
        if (one.in == nullptr) {
            of.reason = "it is outside of functions";
            return of;
        }
        if (auto why = why_not_editable(context_, *one.call)) {
            of.reason = std::move(*why);
            return of;
        }
        if (!calls_one_function(one.call->getExprLoc())) {
            of.reason = "instances of the template call different functions here";
            return of;
        }
        bool const is_kernel = entries_.count(one.in) != 0;
        if (is_kernel || reached_with_hazard_.count(one.in) != 0) {
            auto const found = is_kernel ? hazards_.find(one.in) : reached_with_hazard_.find(one.in);
            bool const has = is_kernel ? found != hazards_.end() : told_.count(one.in) == 0;
            if (has) {
                of.reason = "a kernel that reaches it has " + found->second.text;
                of.because = found->second.where;
                return of;
            }
        }
        auto const told = told_.find(one.in);
        if (is_kernel || told != told_.end()) {
            findings const& found = analysis_.of(*one.in, is_kernel ? entries_.at(one.in) : told->second);
            std::optional<reached_allocation> whole;
            for (reached_allocation const& reached : found.allocations) {
                if (reached.call != one.call) continue;
                if (!whole) whole = reached;
                whole->control.join(reached.control);
                whole->arguments.join(reached.arguments);
            }
            if (whole) {
                of = verdict(*whole);
                of.by_argument = !is_kernel;
                return of;
            }
            of.reason = "no kernel of this file reaches it in a way that is followed";
            return of;
        }
        if (auto why = why_not_told(context_, whole_, *one.in)) {
            of.reason = "callers cannot tell '" + one.in->getNameAsString() + "' who calls: " + *why;
            return of;
        }
        if (auto const seen = seen_allocations_.find(one.call);
            seen != seen_allocations_.end() && !seen->second.is_static)
            return seen->second;
        of.reason = "no kernel of this file reaches it in a way that is followed";
        return of;
    }

    // In an instance of a template that could be told, but that no call tells. If others are, its argument
    // says that only some threads call.
    bool is_untold(allocator_call const& one) const {
        return one.in != nullptr && one.in->getTemplateInstantiationPattern() != nullptr &&
               entries_.count(one.in) == 0 && told_.count(one.in) == 0 &&
               !why_not_told(context_, whole_, *one.in);
    }

    void decide(allocator_call const& one, bool untold) {
        if (one.kind == known_call::allocation && one.in != nullptr && !in_device_code(*one.in))
            return; // host code
        if (auto const told = by_place_.find(one.call->getExprLoc());
            untold && told != by_place_.end() && told->second.rewritten && told->second.by_argument)
            return;
        outcome const of = outcome_of(one);
        decision& known = by_place_.try_emplace(one.call->getExprLoc()).first->second;
        bool const is_first = known.call == nullptr;
        if (is_first) {
            known.where = one.call->getExprLoc();
            known.call = one.call;
            known.kind = one.kind;
        } else if (!known.rewritten) {
            return;
        }
        bool const agrees = is_first || known.by_argument == of.by_argument;
        known.rewritten = of.is_static && agrees;
        known.reason = agrees ? of.reason : "instances of the template disagree";
        known.because = of.because;
        known.by_argument = of.by_argument;
        if (is_first || of.covers == scope::warp) known.covers = of.covers;
    }

    void decide_template(clang::SourceLocation where) {
        decision& known = by_place_.try_emplace(where).first->second;
        if (known.reason.empty()) {
            known.where = where;
            known.reason = "it is in a template of which this file has no instance that a kernel reaches";
        }
    }

    void refuse(decision& one, std::string reason, clang::SourceLocation because) {
        one.rewritten = false;
        one.reason = std::move(reason);
        one.because = because;
    }

    // Every free that may see a coalesced pointer must be ours.
    void settle_releases() {
        if (!context_.getLangOpts().CUDA) return;
        if (whole_.host_only_condition.isValid()) {
            frees_know_all_ = false;
            for (auto& [where, one] : by_place_)
                if (one.rewritten)
                    refuse(one,
                           "device code may differ from what is analysed: it depends on " +
                               whole_.host_only_macro,
                           whole_.host_only_condition);
        }
        for (allocator_call const& release : whole_.releases) {
            if (release.in == nullptr || !in_device_code(*release.in)) continue;
            if (!calls_one_function(release.call->getExprLoc()) ||
                why_not_editable(context_, *release.call)) {
                frees_know_all_ = false;
                made_.has_foreign_release = true;
                for (auto& [where, one] : by_place_)
                    if (one.rewritten)
                        refuse(one, "a free that may see its pointer cannot be rewritten",
                               release.call->getExprLoc());
            }
            made_.releases.push_back(release.call);
        }
        for (function const named : whole_.address_taken)
            if (classify(*named, {}, sources_) == known_call::release && in_device_code(*named)) {
                frees_know_all_ = false;
                made_.has_foreign_release = true;
                for (auto& [where, one] : by_place_)
                    if (one.rewritten) refuse(one, "the address of free is taken", {});
            }
        std::vector<foreign_release> const foreign = foreign_releases(context_, whole_, options_.dynamic);
        if (!foreign.empty()) {
            frees_know_all_ = false;
            made_.has_foreign_release = true;
        }
        if (options_.whole_program && foreign.empty()) return;
        for (auto& [where, one] : by_place_) {
            if (!one.rewritten || one.kind != known_call::allocation) continue;
            for (allocator_call const& instance : whole_.allocations)
                if (one.rewritten && instance.call->getExprLoc() == where)
                    if (auto escapes = escape_of(context_, whole_, *instance.call))
                        refuse_for_escape(one, *escapes, foreign);
        }
    }

    void refuse_for_escape(decision& one, cause const& escapes, std::vector<foreign_release> const& foreign) {
        if (options_.whole_program)
            refuse(one, foreign.front().text + " that is not rewritten may get its pointer: " + escapes.text,
                   foreign.front().where);
        else
            refuse(one,
                   "code that is not rewritten may free its pointer (--whole-program says there is none): " +
                       escapes.text,
                   escapes.where);
    }

    // An argument is for functions that lead to a static call, and a static call in a function is for callers
    // that pass it.
    void drop_unused_arguments() {
        while (!settle_arguments()) {
        }
    }
    // Whether nothing was refused.
    bool settle_arguments() {
        made_.telling.clear();
        made_.telling_in.clear();
        std::set<function> leads;
        for (allocator_call const& one : whole_.allocations) {
            auto const known = by_place_.find(one.call->getExprLoc());
            if (known != by_place_.end() && known->second.rewritten && known->second.by_argument &&
                told_.count(one.in))
                leads.insert(one.in);
        }
        for (bool grows = true; grows;) {
            grows = false;
            for (call_site const& call : accepted_) {
                function definition = nullptr;
                call.callee()->hasBody(definition);
                if (leads.count(definition) != 0 && told_.count(around_[call]) != 0)
                    grows = leads.insert(around_[call]).second || grows;
            }
        }
        std::set<function> called;
        std::set<clang::SourceLocation> places;
        for (call_site const& call : accepted_) {
            function definition = nullptr;
            call.callee()->hasBody(definition);
            if (leads.count(definition) == 0) continue;
            called.insert(definition);
            if (!places.insert(call.begin()).second) continue;
            made_.telling.push_back(call);
            if (told_.count(around_[call]) != 0) made_.telling_in[call] = around_[call];
        }
        made_.told.assign(leads.begin(), leads.end());
        bool is_settled = true;
        for (auto& [where, one] : by_place_) {
            if (!one.rewritten || !one.by_argument) continue;
            bool const is_called = std::any_of(
                whole_.allocations.begin(), whole_.allocations.end(), [&, place = where](auto const& a) {
                    return a.call->getExprLoc() == place && called.count(a.in) != 0;
                });
            if (is_called) continue;
            refuse(one, "no call of its function can say that all threads make it", {});
            is_settled = false;
        }
        return is_settled;
    }

    // Functions that are registered to be told have the parameter already.
    bool takes_whether_all(clang::CallExpr const& call) const {
        unsigned const count = call.getNumArgs();
        auto const* omitted =
            count == 0 ? nullptr : llvm::dyn_cast<clang::CXXDefaultArgExpr>(call.getArg(count - 1));
        auto const* type = omitted == nullptr ? nullptr : omitted->getType()->getAs<clang::EnumType>();
        return type != nullptr &&
               type->getDecl()->getQualifiedNameAsString() == "rhizome::coalesced::reached" &&
               (count < 2 || !llvm::isa<clang::CXXDefaultArgExpr>(call.getArg(count - 2)));
    }

    void tell_registered() {
        if (!context_.getLangOpts().CUDA || whole_.host_only_condition.isValid()) return;
        std::map<clang::SourceLocation, std::pair<clang::CallExpr const*, bool>> places;
        std::set<function> seen;
        for (function const kernel : whole_.kernels)
            look_for_registered(analysis_.of(*kernel, entries_[kernel]), hazards_.count(kernel) == 0, true,
                                seen, places);
        for (auto const& [where, found] : places)
            if (found.second) made_.telling_registered.push_back(found.first);
    }

    void
    look_for_registered(findings const& found, bool may_tell, bool is_kernel, std::set<function>& seen,
                        std::map<clang::SourceLocation, std::pair<clang::CallExpr const*, bool>>& places) {
        for (reached_allocation const& one : found.told) {
            bool const all = may_tell && is_kernel && one.control.alike == level::block &&
                             as_control(one.arguments).alike == level::block &&
                             is_plain_call(context_, *one.call) && takes_whether_all(*one.call);
            auto const place = places.try_emplace(one.call->getExprLoc(), one.call, all).first;
            place->second.second = place->second.second && all;
        }
        for (reached_call const& call : found.calls)
            if (seen.insert(call.callee).second)
                look_for_registered(analysis_.of(*call.callee, call.arrives), may_tell, false, seen, places);
    }

    // Calls that stay as they are may go to alloc::coalescing, if all frees know its pointers.
    void make_dynamic() {
        made_.uses_dynamic = options_.dynamic && context_.getLangOpts().CUDA && frees_know_all_ &&
                             (!whole_.kernels.empty() || !whole_.releases.empty() || !by_place_.empty());
        if (!made_.uses_dynamic) return;
        for (auto& [where, one] : by_place_)
            if (!one.rewritten && one.call != nullptr && !why_not_editable(context_, *one.call) &&
                calls_one_function(where))
                one.is_dynamic = true;
    }

    void collect_calls(findings const& found, std::set<clang::SourceLocation>& places,
                       std::set<function>& seen) {
        for (reached_allocation const& one : found.allocations)
            places.insert(one.call->getExprLoc());
        for (reached_call const& call : found.calls)
            if (seen.insert(call.callee).second)
                collect_calls(analysis_.of(*call.callee, call.arrives), places, seen);
    }

    void summarise_kernels() {
        for (function const kernel : whole_.kernels) {
            kernel_summary one{kernel, {}};
            std::set<function> seen;
            collect_calls(analysis_.of(*kernel, entries_[kernel]), one.calls, seen);
            made_.kernels.push_back(std::move(one));
        }
    }

    void finish() {
        make_dynamic();
        summarise_kernels();
        bool const any = std::any_of(by_place_.begin(), by_place_.end(),
                                     [](auto const& one) { return one.second.rewritten; });
        bool const keeps_frees = made_.uses_dynamic || (options_.several_files && options_.whole_program);
        if (!any && !keeps_frees) made_.releases.clear();
        for (auto& [where, one] : by_place_)
            made_.decisions.push_back(std::move(one));
        std::sort(made_.decisions.begin(), made_.decisions.end(), [&](decision const& a, decision const& b) {
            return sources_.isBeforeInTranslationUnit(a.where, b.where);
        });
    }

    clang::ASTContext& context_;
    clang::SourceManager const& sources_;
    program const& whole_;
    plan_options options_;
    analysis analysis_;
    std::map<clang::SourceLocation, std::set<known_call>> kinds_;
    std::map<function, entry> entries_;
    std::map<function, cause> hazards_;
    std::map<function, cause> reached_with_hazard_;
    std::map<clang::CallExpr const*, outcome> seen_allocations_;
    std::map<function, entry> told_;
    std::set<call_site> accepted_;
    std::map<call_site, function> around_;
    std::map<clang::SourceLocation, decision> by_place_;
    bool frees_know_all_ = true; ///< each free of device code can be rewritten
    plan made_;
};

} // namespace

// Calls behind a branch on a pointer that a static call returned are static only if that one is. So the plan
// is made under the supposition that all are that may be, and anew until what was supposed is what came out.
plan make_plan(clang::ASTContext& context, program const& whole, plan_options const& options) {
    supposed_plan supposed;
    if (options.wanted == scope_choice::warp) supposed.finest = level::warp;
    if (options.wanted == scope_choice::block) supposed.coarsest = level::block;
    for (;;) {
        plan made = planner(context, whole, options, supposed).make();
        bool holds = true;
        for (decision const& one : made.decisions) {
            level const became = !one.rewritten               ? level::thread
                                 : one.covers == scope::block ? level::block
                                                              : level::warp;
            auto const [known, is_new] = supposed.allocations.try_emplace(one.where, level::block);
            if (became > known->second) {
                known->second = became;
                holds = false;
            }
        }
        for (allocator_call const& one : whole.allocations) { // on which nothing was decided
            bool const is_new =
                supposed.allocations.try_emplace(one.call->getExprLoc(), level::thread).second;
            holds = holds && !is_new;
        }
        std::set<clang::SourceLocation> telling;
        for (call_site const& call : made.telling)
            telling.insert(call.end());
        for (auto const& [callee, calls] : whole.calls)
            for (call_site const& call : calls)
                if (telling.count(call.end()) == 0 && callee->hasBody())
                    holds = !supposed.untold.insert(call.end()).second && holds;
        if (holds) return made;
    }
}

} // namespace rhizome::coalesce
