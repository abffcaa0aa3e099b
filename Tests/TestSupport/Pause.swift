import Glibc

package func pause(milliseconds: Double) { usleep(useconds_t(milliseconds * 1_000)) }

package func unixMilliseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
}
