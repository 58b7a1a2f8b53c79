#include "lab/kernel_archive.hpp"

#include <cstring>
#include <set>
#include <type_traits>

namespace onefold::lab {
namespace {

struct Names {
  std::shared_ptr<const void> before;
  std::set<std::string> all;
};

// Goes through the members of a result, to write or to read them, in one order for both.
class Archive {
 public:
  Archive() : writes_(true) {}
  Archive(const std::string& bytes, Names& names) : bytes_(bytes), names_(&names) {}

  std::string bytes() && { return std::move(bytes_); }

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void operator()(T& v) {
    if (writes_) {
      bytes_.append(reinterpret_cast<const char*>(&v), sizeof v);
    } else {
      std::memcpy(&v, bytes_.data() + at_, sizeof v);
      at_ += sizeof v;
    }
  }
  void operator()(std::string& s) {
    std::size_t n = s.size();
    (*this)(n);
    if (writes_) {
      bytes_ += s;
    } else {
      s = bytes_.substr(at_, n);
      at_ += n;
    }
  }
  void operator()(const char*& s) {
    std::string text = writes_ ? s : "";
    (*this)(text);
    if (!writes_) s = names_->all.insert(text).first->c_str();
  }
  template <class T>
  void operator()(std::vector<T>& v) {
    std::size_t n = v.size();
    (*this)(n);
    v.resize(n);
    for (T& each : v) (*this)(each);
  }
  void operator()(sim::Site& s) { (*this)(s.file), (*this)(s.line), (*this)(s.column); }
  void operator()(sim::Flaw& f) {
    (*this)(f.kind), (*this)(f.at), (*this)(f.other), (*this)(f.space), (*this)(f.element);
    (*this)(f.offset), (*this)(f.bytes), (*this)(f.did), (*this)(f.other_did), (*this)(f.block);
    (*this)(f.threads), (*this)(f.other_block), (*this)(f.mask), (*this)(f.other_mask);
    (*this)(f.further_on), (*this)(f.apart), (*this)(f.after_flaw), (*this)(f.ended),
        (*this)(f.times);
  }
  void operator()(std::map<sim::Site, sim::LineCounters>& lines) {
    std::size_t n = lines.size();
    (*this)(n);
    if (writes_) {
      for (auto& [where, counted] : lines) {
        sim::Site site = where;
        (*this)(site), (*this)(counted);
      }
    }
    for (; !writes_ && n != 0; --n) {
      sim::Site site;
      (*this)(site);
      (*this)(lines[site]);
    }
  }
  void operator()(KernelLaunch& l) {
    (*this)(l.kernel), (*this)(l.grid), (*this)(l.block), (*this)(l.shared);
  }
  void operator()(KernelExpectation& e) {
    (*this)(e.text), (*this)(e.holds), (*this)(e.found), (*this)(e.order);
  }
  void operator()(KernelResult& r) {
    (*this)(r.launches), (*this)(r.counted), (*this)(r.failure), (*this)(r.steps),
        (*this)(r.longest), (*this)(r.leaked), (*this)(r.unwaited);
    (*this)(r.flaws), (*this)(r.expectations), (*this)(r.report.counters);
    (*this)(r.report.lines), (*this)(r.report.flaws);
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
  bool writes_ = false;
  Names* names_ = nullptr;
};

}  // namespace

std::string packed(const KernelResult& r) {
  KernelResult copy = r;
  Archive a;
  a(copy);
  return std::move(a).bytes();
}

void unpack(const std::string& bytes, KernelResult& r) {
  const auto names = std::make_shared<Names>(Names{r.kept, {}});
  r.kept = names;
  Archive(bytes, *names)(r);
}

}  // namespace onefold::lab
