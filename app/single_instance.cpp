// A local socket named by the user and the file, which only the user may open. Who connects and says "show" is answered
// "shown"; who only connects learns that somebody is there.
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

QString name_of(const QString& file) {
  const QFileInfo info(file);
  const QString path = info.exists() ? info.canonicalFilePath() : info.absoluteFilePath();
  const QByteArray hash = QCryptographicHash::hash(path.toUtf8(), QCryptographicHash::Sha256).toHex().left(24);
  const QString name = QStringLiteral("footlight-%1-%2").arg(getuid()).arg(QLatin1String(hash));
  // Prefers a folder in which nobody else can create sockets.
  const QString own = QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation);
  return own.isEmpty() ? name : own + QLatin1Char('/') + name;
}

}  // namespace

bool SingleInstance::raise_other(const QString& file) {
  QLocalSocket socket;
  socket.connectToServer(name_of(file));
  if (!socket.waitForConnected(kPatienceMs)) return false;
  socket.write("show");
  socket.flush();
  return socket.waitForReadyRead(kPatienceMs) && socket.readAll() == "shown";
}

QString SingleInstance::socket_path(const QString& file) { return QDir(QDir::tempPath()).filePath(name_of(file)); }

void SingleInstance::answer(const QString& file) {
  while (QLocalSocket* socket = server_->nextPendingConnection()) {
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    const auto read = [this, socket, file] {
      if (socket->bytesAvailable() < 4 || socket->readAll() != "show") return;
      socket->write("shown");
      socket->flush();
      socket->disconnectFromServer();
      Q_EMIT raise_asked(file);
    };
    connect(socket, &QLocalSocket::readyRead, this, read);
    read();
  }
}

bool SingleInstance::show(const QString& file) {
  if (server_ && file == file_) return true;
  file_ = file;
  server_.reset();
  const QString name = name_of(file);
  QLocalSocket socket;  // listening takes the name from whoever has it
  socket.connectToServer(name);
  if (socket.waitForConnected(kPatienceMs)) return false;
  QLocalServer::removeServer(name);
  server_ = std::make_unique<QLocalServer>();
  server_->setSocketOptions(QLocalServer::UserAccessOption);
  connect(server_.get(), &QLocalServer::newConnection, this, [this, file] { answer(file); });
  if (server_->listen(name)) return true;
  server_.reset();
  return false;
}

}  // namespace footlight::app
