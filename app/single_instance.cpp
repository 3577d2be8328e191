// A local socket named by the user and the file, which only the user may open.
#include "app/single_instance.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFileInfo>
#include <QLocalSocket>
#include <QStandardPaths>

#include <unistd.h>

namespace footlight::app {
namespace {

constexpr int kPatienceMs = 500;  // a socket whose process hangs must not keep this one from starting

}  // namespace

SingleInstance::SingleInstance(const QString& file, QObject* parent) : QObject(parent) {
  const QFileInfo info(file);
  const QString path = info.exists() ? info.canonicalFilePath() : info.absoluteFilePath();
  const QByteArray hash = QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha256).toHex().left(24);
  name_ = QStringLiteral("footlight-%1-%2").arg(getuid()).arg(QLatin1String(hash));
  // Where nobody else can put one, if there is such a place.
  const QString own = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
  if (!own.isEmpty()) name_ = own + QLatin1Char('/') + name_;
  server_.setSocketOptions(QLocalServer::UserAccessOption);
  connect(&server_, &QLocalServer::newConnection, this, [this] {
    while (QLocalSocket* socket = server_.nextPendingConnection()) {
      connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
      socket->write("shown");
      socket->flush();
      socket->disconnectFromServer();
      Q_EMIT raise_asked();
    }
  });
}

bool SingleInstance::raise_other() {
  QLocalSocket socket;
  socket.connectToServer(name_);
  return socket.waitForConnected(kPatienceMs) && socket.waitForReadyRead(kPatienceMs) && socket.readAll() == "shown";
}

QString SingleInstance::socket_path() const { return QDir(QDir::tempPath()).filePath(name_); }

bool SingleInstance::listen() {
  if (server_.listen(name_)) return true;
  QLocalServer::removeServer(name_);
  return server_.listen(name_);
}

}  // namespace footlight::app
