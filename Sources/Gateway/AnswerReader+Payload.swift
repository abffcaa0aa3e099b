import JSON
import Paging

extension AnswerReader {
  /// What an answer has at `pointer`, judged as a page is.
  func payload(
    of response: TransportResponse, at pointer: Pointer, allowsAbsence: Bool
  ) -> Result<Payload, GatewayError> {
    do throws(GatewayError) {
      switch response.status {
      case 200...299: return .success(try payload(in: response, at: pointer, allowsAbsence))
      case 400...499: throw refusal(in: response)
      default: throw fault(of: response)
      }
    } catch {
      error.receivedStatus = response.status
      error.answer = response.body
      return .failure(error)
    }
  }

  private func payload(
    in response: TransportResponse, at pointer: Pointer, _ allowsAbsence: Bool
  ) throws(GatewayError) -> Payload {
    let body = try text(of: response)
    do throws(PageFault) {
      return try normaliser.payload(
        ofBody: body, at: pointer, allowsAbsence: allowsAbsence, parser: parser, status: response.status,
        fields: response.fields)
    } catch {
      let error = GatewayError(error)
      if error.code == .rateLimited { error.retryAfter = retryAfter(response) }
      throw error
    }
  }
}
