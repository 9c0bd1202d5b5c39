// Turns per CPU-second of the reference engine's own C++ loop: random legal play, every seat encoded at every turn.
//
//   g++ -O3 -DNDEBUG -std=c++11 -I HLE/hanabi_learning_environment benchmarks/reference_loop.cc \
//       HLE/hanabi_learning_environment/hanabi_lib/*.cc -o reference_loop && ./reference_loop 2 5
//
// HLE is the unpacked source of the hanabi-learning-environment package. Arguments: players, seconds.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>

#include "hanabi_lib/canonical_encoders.h"
#include "hanabi_lib/hanabi_game.h"
#include "hanabi_lib/hanabi_observation.h"
#include "hanabi_lib/hanabi_state.h"

namespace hle = hanabi_learning_env;

int main(int argc, char** argv) {
  const int players = argc > 1 ? std::atoi(argv[1]) : 2;
  const double seconds = argc > 2 ? std::atof(argv[2]) : 5.0;
  hle::HanabiGame game({{"players", std::to_string(players)}});
  hle::CanonicalObservationEncoder encoder(&game);
  std::mt19937 random(1);
  long turns = 0, bits = 0;
  const std::clock_t begun = std::clock();
  auto elapsed = [&] { return double(std::clock() - begun) / CLOCKS_PER_SEC; };
  while (elapsed() < seconds) {
    hle::HanabiState state(&game);
    while (!state.IsTerminal()) {
      if (state.CurPlayer() == hle::kChancePlayerId) {
        state.ApplyRandomChance();
        continue;
      }
      for (int seat = 0; seat < players; ++seat) {
        bits += encoder.Encode(hle::HanabiObservation(state, seat)).size();
      }
      const auto moves = state.LegalMoves(state.CurPlayer());
      state.ApplyMove(moves[random() % moves.size()]);
      ++turns;
    }
  }
  std::printf("reference C++ loop, %d players: %.0f turns per CPU-second (%ld bits written)\n", players,
              turns / elapsed(), bits);
}
