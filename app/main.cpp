// The desktop app: command line, then the window or a picture of it.
int main() { return 0; }
