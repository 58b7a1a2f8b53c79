// Digests of states: SHA-256, the same for equal data, however they are split into parts.
#include <gtest/gtest.h>

#include <string_view>

#include "engine/saved_state.hpp"
#include "onefold/engine/state/sha256.hpp"
#include "onefold/states.hpp"

namespace onefold {
namespace ONEFOLD_FILE {

std::string sha256_of(std::string_view s) { return sha256_text(std::as_bytes(std::span(s))); }

// Examples of NIST's page on FIPS 180-4, and of its CAVP (SHA256ShortMsg).
TEST(Sha256, IsThatOfNistsExamples) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of("\xd3"), "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
  EXPECT_EQ(sha256_of(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, IsTheHashOfSavedBytes) {
  const std::vector<double> x = {1e300, -1e-300, 3};
  const State state = gather("mean,var,max", x);
  EXPECT_EQ(state.digest(), sha256_text(state.save()));
  const States states = gather_states("mean", ArrayRef(x.data(), f64, Dims(3, 1)), {.axes = {1}});
  EXPECT_EQ(states.digest(), sha256_text(states.save()));
  EXPECT_EQ(State().digest(), sha256_text(State().save()));
}

TEST(Digest, IsTheSameForAnyPartsAndOrder) {
  const std::vector<double> x = {1e300, -1e-300, 3, -0.0, 7e200}, a = {3, -0.0}, b = {7e200, 1e300},
                            c = {-1e-300};
  State merged = gather("mean,var,min", b);
  merged.merge(gather("mean,var,min", c));
  merged.merge(gather("mean,var,min", a));
  EXPECT_EQ(merged.digest(), gather("mean,var,min", x).digest());
  EXPECT_NE(merged.digest(), gather("mean,var,min", a).digest());
}

TEST(Digest, IsOfTheDataAndNotOfWhatTheyAreAShareOf) {
  const State state = gather("sum", std::vector<double>{1, 2});
  const State share = State::load(test::of_share(state.save(), 4, 7));
  EXPECT_NE(share, state);
  EXPECT_EQ(share.digest(), state.digest());
}

}  // namespace ONEFOLD_FILE
}  // namespace onefold
